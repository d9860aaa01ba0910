"""vLLM. Names read from the sources of 26 releases, 0.8.5 to 0.32.0, and held against pages of 0.5 to 0.32.

Every ``vllm:`` series carries ``model_name``, and since 0.10 ``engine``, the data-parallel rank; one page can hold
several of each.
"""

from headrace.engine import Engine, Metric

ENGINE = Engine(
    name="vllm",
    title="vLLM",
    running=(Metric("vllm:num_requests_running"),),
    # Since 0.20 num_requests_waiting_by_reason splits the same number: never both.
    waiting=(Metric("vllm:num_requests_waiting"),),
    kv_usage=(
        Metric("vllm:kv_cache_usage_perc", since=(0, 9, 2)),
        Metric("vllm:gpu_cache_usage_perc", until=(0, 12, 0)),
    ),
    finished=(Metric("vllm:request_success_total"),),
    latency=(Metric("vllm:e2e_request_latency_seconds"),),
    queue_time=(Metric("vllm:request_queue_time_seconds", since=(0, 8, 5)),),
    part_labels=("engine",),
)
