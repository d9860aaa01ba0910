"""SGLang, started with ``--enable-metrics``. Names from its documentation and its metrics collector.

The scheduler's gauges come from each data-parallel rank (``dp_rank``); with metrics of all schedulers also from each
tensor-parallel one, which shows the same requests again. With priority scheduling a gauge stands there once in all and
once for each priority: the largest is the whole.
"""

from headrace.engine import Engine, Metric

ENGINE = Engine(
    name="sglang",
    title="SGLang",
    running=(Metric("sglang:num_running_reqs"),),
    waiting=(Metric("sglang:num_queue_reqs"),),
    kv_usage=(Metric("sglang:token_usage"),),
    finished=(Metric("sglang:num_requests_total"),),
    latency=(Metric("sglang:e2e_request_latency_seconds"),),
    queue_time=(Metric("sglang:queue_time_seconds"),),
    part_labels=("dp_rank",),
)
