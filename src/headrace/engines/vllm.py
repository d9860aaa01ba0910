"""vLLM. Names read from the sources of 26 releases, 0.8.5 to 0.32.0, and held against pages of 0.5 to 0.32.

Every ``vllm:`` series carries ``model_name``, and since 0.10 ``engine``, the data-parallel rank; one page can hold
several of each.
"""

from headrace.engine import Engine, Launch, Metric

LAUNCH = Launch(
    images=(
        r"(^|/)vllm([-_](openai|tpu|cpu|rocm|xpu|gaudi|neuron|omni|ascend|serve|runtime|inference|cuda)[a-z0-9_.-]*)?$",
        r"(^|/)(llm-d-)?(cuda|pytorch)-?vllm([-_][a-z0-9_.-]+)?$",
        r"pytorch-vllm-serve$",
    ),
    commands=(
        ("vllm", "serve"),
        ("vllm.entrypoints.openai.api_server",),
        ("vllm.entrypoints.api_server",),
        ("vllm.entrypoints.cli.main", "serve"),
        ("vllm.entrypoints.grpc_server",),
    ),
    numbered=(
        r"(^|/)vllm-openai$",
        r"(^|/)vllm-openai-cpu$",
        r"(^|/)vllm-openai-rocm$",
        r"(^|/)vllm/vllm-[a-z0-9-]+$",
    ),
    model_flags=("--model",),
    model_is_bare=True,
    served_name=("--served-model-name",),
    slots=("--max-num-seqs",),
    tensor=("--tensor-parallel-size", "-tp"),
    pipeline=("--pipeline-parallel-size", "-pp"),
    data_parallel=("--data-parallel-size", "-dp"),
    api_servers=("--api-server-count", "-asc"),
    shutdown_timeout=("--shutdown-timeout",),
    shutdown_since=(0, 18, 0),
    eager=("--enforce-eager",),
    sleep=("--enable-sleep-mode",),
    sleep_environment=("VLLM_SERVER_DEV_MODE", "1"),
    load_format=("--load-format",),
    streaming_formats=(
        "runai_streamer",
        "runai_streamer_sharded",
        "tensorizer",
        "fastsafetensors",
        "instanttensor",
    ),
    download_dir=("--download-dir",),
    hub_homes=("~/.cache/huggingface",),
    hub_variables=("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE"),
    compile_cache="~/.cache/vllm",
    compile_variables=("VLLM_CACHE_ROOT",),
    compile_since=(0, 8, 0),
    switches=frozenset(
        (
            "--enforce-eager",
            "--enable-sleep-mode",
            "--trust-remote-code",
            "--enable-prefix-caching",
            "--enable-chunked-prefill",
            "--disable-log-requests",
            "--disable-log-stats",
            "--enable-lora",
            "--enable-auto-tool-choice",
            "--enable-expert-parallel",
            "--headless",
            "--disable-fastapi-docs",
            "--async-scheduling",
            "--enable-server-load-tracking",
            "--disable-custom-all-reduce",
            "--language-model-only",
        )
    ),
)
"""Flags and their releases from the sources of 26 releases; a shutdown timeout exists since 0.18.0."""

_ALWAYS = (
    "admission_rejections avg_generation_throughput_toks_per_s avg_prompt_throughput_toks_per_s "
    "cache_config_info corrupted_requests cpu_cache_usage_perc cpu_prefix_cache_hit_rate "
    "e2e_request_latency_seconds estimated_flops_per_gpu estimated_read_bytes_per_gpu "
    "estimated_write_bytes_per_gpu external_prefix_cache_hits external_prefix_cache_queries "
    "generation_tokens gpu_prefix_cache_hit_rate gpu_prefix_cache_hits gpu_prefix_cache_queries healthy "
    "iteration_tokens kv_block_idle_before_evict_seconds kv_block_lifetime_seconds "
    "kv_block_reuse_gap_seconds lora_requests_info mm_cache_hits mm_cache_queries "
    "model_execute_time_milliseconds model_forward_time_milliseconds nixl_bytes_transferred "
    "nixl_num_descriptors nixl_num_failed_notifications nixl_num_failed_transfers "
    "nixl_num_kv_expired_reqs nixl_post_time_seconds nixl_xfer_time_seconds num_preemptions "
    "num_requests_running num_requests_swapped num_requests_waiting prefix_cache_hits "
    "prefix_cache_queries prompt_tokens prompt_tokens_by_source prompt_tokens_cached "
    "prompt_tokens_cached_by_source request_decode_time_seconds request_generation_tokens "
    "request_inference_time_seconds request_max_num_generation_tokens request_max_tokens "
    "request_num_preemptions request_params_best_of request_params_max_tokens request_params_n "
    "request_prefill_kv_computed_tokens request_prefill_time_seconds request_prompt_tokens "
    "request_queue_time_seconds request_success request_time_per_output_token_seconds "
    "sleep_mode_operation_duration_seconds sleep_mode_operations_in_flight "
    "spec_decode_draft_acceptance_rate spec_decode_efficiency spec_decode_num_accepted_tokens "
    "spec_decode_num_accepted_tokens_per_pos spec_decode_num_draft_tokens spec_decode_num_drafts "
    "spec_decode_num_emitted_tokens time_to_first_token_seconds "
).split()

FAMILIES = (
    *(Metric(f"vllm:{name}") for name in _ALWAYS),
    Metric("vllm:num_requests_waiting_by_reason", since=(0, 20, 0)),
    Metric("vllm:kv_cache_usage_perc", since=(0, 9, 2)),
    Metric("vllm:gpu_cache_usage_perc", until=(0, 12, 0)),
    Metric("vllm:inter_token_latency_seconds", since=(0, 10, 2)),
    Metric("vllm:time_per_output_token_seconds", until=(0, 16, 0)),
    Metric("vllm:engine_sleep_state", since=(0, 11, 0)),
)
"""Names on pages of 0.5 to 0.32. Of those without releases some are gone from newer ones; since when, we do not know."""

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
    launch=LAUNCH,
    families=FAMILIES,
    renamed=(
        (
            Metric("vllm:inter_token_latency_seconds", since=(0, 10, 2)),
            Metric("vllm:time_per_output_token_seconds", until=(0, 16, 0)),
        ),
    ),
    prefix="vllm:",
    part_labels=("engine",),
)
