"""Text Generation Inference. Names and flags from its documentation; in maintenance mode at its makers since late 2025.

It drains nothing by a flag: SIGTERM ends it as a web server ends, and a grace period is all that requests get.
"""

from headrace.engine import Engine, Launch, Metric

ENGINE = Engine(
    name="tgi",
    title="TGI",
    running=(Metric("tgi_batch_current_size"),),
    waiting=(Metric("tgi_queue_size"),),
    kv_usage=(),
    finished=(Metric("tgi_request_count"),),
    latency=(Metric("tgi_request_duration"),),
    queue_time=(Metric("tgi_request_queue_duration"),),
    prefix="tgi_",
    launch=Launch(
        images=(r"text-generation-inference", r"(^|/)tgi([-_]|$)"),
        commands=(("text-generation-launcher",),),
        numbered=(r"(^|/)text-generation-inference$",),
        port=80,
        model_flags=("--model-id",),
        slots=("--max-concurrent-requests",),
        tensor=("--num-shard",),
        hub_homes=("/data",),
        hub_variables=("HUGGINGFACE_HUB_CACHE", "HF_HOME", "HF_HUB_CACHE"),
    ),
)
