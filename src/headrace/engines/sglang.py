"""SGLang, started with ``--enable-metrics``. Names from its documentation and its metrics collector.

The scheduler's gauges come from each data-parallel rank (``dp_rank``); with metrics of all schedulers also from each
tensor-parallel one, which shows the same requests again. With priority scheduling a gauge stands there once in all and
once for each priority: the largest is the whole.
"""

from headrace.engine import Engine, Launch, Metric

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
    prefix="sglang:",
    launch=Launch(
        images=(r"(^|/)sglang([-_:]|$)", r"-sglang$"),
        commands=(("sglang.launch_server",), ("sglang", "serve"), ("sglang_router.launch_server",)),
        numbered=(r"(^|/)lmsysorg/sglang$",),
        port=30000,
        model_flags=("--model-path", "--model"),
        served_name=("--served-model-name",),
        slots=("--max-running-requests",),
        tensor=("--tp-size", "--tensor-parallel-size", "--tp"),
        pipeline=("--pp-size", "--pipeline-parallel-size"),
        data_parallel=("--dp-size", "--data-parallel-size", "--dp"),
        load_format=("--load-format",),
        streaming_formats=("runai_streamer", "remote"),
        download_dir=("--download-dir",),
        hub_homes=("~/.cache/huggingface",),
        hub_variables=("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE"),
        switches=frozenset(
            ("--trust-remote-code", "--enable-metrics", "--disable-radix-cache", "--enable-dp-attention")
        ),
    ),
)
