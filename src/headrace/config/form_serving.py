"""The keys that a manifest needs and no measurement says: server, autoscaler, drain, rollout, alerts.

As in form.py, the docstring under each key is its description everywhere.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Final

from pydantic import model_validator

from headrace.config.leaf import NAME, Choice, Label, count, duration, number, ratio
from headrace.config.shape import Contradiction, Form, MayBeAbsent
from headrace.config.text import Text, TextMap, Texts, size
from headrace.engine import Engine
from headrace.manifest.image import image
from headrace.registry import registered
from headrace.spec import Alerts, Autoscaler, Draining, Rollout, Server
from headrace.units import shown

FLOATING: Final = ("latest", "nightly", "main", "master", "dev", "edge")
"""Tags that are another image tomorrow."""

_OBJECT: Final = Label("a name", NAME, 'lower-case letters, digits and "-", at most 63')
_FOLDER: Final = Text("a folder of the node", r"/(?!.*\.\.)[A-Za-z0-9._/-]{1,255}", "/var/cache/headrace")
_DOMAIN: Final = rf"(?=[^/]{{1,253}}/)({NAME}\.)*{NAME}/"
_LABEL: Final = Text(
    "a label's name", rf"({_DOMAIN})?[A-Za-z0-9]([-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?", "team"
)
_RESOURCE: Final = Text(
    "a resource of a node",
    # the API keeps these two for itself
    rf"(?!requests\.)(?!([^/]*\.)?kubernetes\.io/){_DOMAIN}[A-Za-z0-9]([-A-Za-z0-9_.]{{0,53}}[A-Za-z0-9])?",
    "nvidia.com/gpu",
)
_LABEL_VALUE: Final = Text("a label's value", r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?", "search")
_ALERT_LABEL: Final = Text("a label's name", r"[a-zA-Z_][a-zA-Z0-9_]{0,62}", "severity")
_LINE: Final = r"[^\x00-\x1f\x7f\u0085\u2028\u2029]"
_WORD: Final = Text("one line of text", rf"{_LINE}{{1,1024}}", "page")
_VARIABLE: Final = Text("a variable's name", r"[A-Za-z_][A-Za-z0-9_]{0,254}", "VLLM_LOGGING_LEVEL")
_VALUE: Final = Text("a variable's value", rf"{_LINE}{{0,4096}}", "INFO")


@lru_cache
def written_flags(engine: str) -> dict[str, str]:
    """Flags of a server that render writes, and the key that each comes from."""
    launch = _engines()[engine].launch
    if launch is None:
        return {}
    homes = {
        "spec.server.model": launch.model_flags,
        "spec.server.name": launch.served_name,
        "spec.server.port": launch.port_flags,
        "spec.server.apiServers": launch.api_servers,
        "spec.server.tensorParallel": launch.tensor,
        "spec.server.pipelineParallel": launch.pipeline,
        "spec.server.loader": launch.load_format,
        "spec.capacity.slots": launch.slots,
        "spec.capacity.dataParallel": launch.data_parallel,
        "spec.scale.drain": launch.shutdown_timeout,
    }
    return {flag: home for home, flags in homes.items() for flag in flags}


def release(text: str) -> tuple[int, int, int]:
    """The numbers of ``0.18`` or ``0.18.0``."""
    first, second, third = [*map(int, text.split(".")), 0][:3]
    return first, second, third


def tagged_release(engine: str, reference: str) -> tuple[int, int, int] | None:
    """The release that an image's tag says, where its repository numbers tags by the engine's releases."""
    launch, read = _engines()[engine].launch, image(reference)
    numbered = launch is not None and any(re.search(pattern, read.repository) for pattern in launch.numbered)
    return read.release if numbered else None


@lru_cache
def _engines() -> dict[str, Engine]:
    return registered("headrace.engines", "ENGINE", Engine)


class CacheForm(Form):
    """Where compiled code and downloaded weights outlive a pod: one of the two."""

    claim: Annotated[str | None, _OBJECT] = None
    """A PersistentVolumeClaim that all replicas can mount at once (ReadWriteMany): one download, one compilation for
    the whole fleet."""

    host_path: Annotated[str | None, _FOLDER] = None
    """A folder of the node, made where it is missing: each node downloads and compiles once. Pod security of the
    levels baseline and restricted refuses it."""

    @model_validator(mode="after")
    def _one_of_two(self) -> CacheForm:
        if (self.claim is None) == (self.host_path is None):
            what = "both are given" if self.claim else "neither is given"
            raise Contradiction(
                f"{what}; write claim (a PersistentVolumeClaim) or hostPath (a folder of the node)"
            )
        return self


class ServerForm(Form):
    """What runs in a replica."""

    image: Annotated[
        str, Text("an image", r"[A-Za-z0-9][A-Za-z0-9._/:@-]{0,511}", "vllm/vllm-openai:v0.18.0")
    ]
    """Image of the model server, with a tag that stays what it is or with a digest: a tag that floats (latest,
    nightly) turns a restart into an upgrade that nobody asked for."""

    release: Annotated[str | None, Text("a release", r"[0-9]{1,4}\.[0-9]{1,4}(\.[0-9]{1,4})?", "0.18.0")] = (
        None
    )
    """Release of the engine in the image. By the image's tag unless said; needed where a tag is numbered otherwise.
    It decides whether the server drains by itself (vLLM since 0.18.0) and what its metrics are called. Where it is not
    known, the hook drains, which every release bears."""

    model: Annotated[
        str, Text("a model", rf"(?!-)(?!\s){_LINE}{{1,512}}", "meta-llama/Llama-3.3-70B-Instruct")
    ]
    """What is served, as the server's command takes it: a name on a hub, a path, or an object store's address."""

    name: Annotated[str | None, Text("a model name", r"[A-Za-z0-9][A-Za-z0-9._/:-]{0,252}", "llama-70b")] = (
        None
    )
    """Name that clients ask for (--served-model-name), and the metrics' label. The fleet's name unless said."""

    namespace: Annotated[str | None, _OBJECT] = None
    """Namespace of all objects and in all queries. Unless said it is left to kubectl, and queries look at all."""

    container: Annotated[str, _OBJECT] = Server(image="", model="").container
    """Name of the server's container. server unless said; a patch for an existing Deployment needs the name that stands
    there."""

    port: Annotated[int | None, count(1, 65_535)] = None
    """Port of the server in its pod. The engine's own unless said (vLLM 8000, SGLang 30000)."""

    api_servers: Annotated[int, count(1, 256)] = Server(image="", model="").api_servers
    """API server processes (--api-server-count). 1 unless said, as the flag is. Above 1 the server's own drain is
    broken: measured on vLLM 0.32 with 2, streams froze at SIGTERM; so the hook drains."""

    tensor_parallel: Annotated[int | None, count(1, 1_024)] = None
    """Accelerators that share each layer (--tensor-parallel-size). What `capacity.accelerators` leaves unless said:
    accelerators over data-parallel engines and pipeline stages."""

    pipeline_parallel: Annotated[int, count(1, 1_024)] = Server(image="", model="").pipeline_parallel
    """Stages of layers (--pipeline-parallel-size). 1 unless said, as the flag is."""

    args: Annotated[
        tuple[str, ...], Texts(Text("an argument", rf"{_LINE}{{1,4096}}", "--enable-prefix-caching"))
    ] = ()
    """More arguments of the server. Those that render writes itself from other keys are refused here."""

    loader: Annotated[str, Text("a load format", "[a-z0-9_]{1,63}", "runai_streamer")] = Server(
        image="", model=""
    ).loader
    """How weights are loaded (--load-format). Unless said: runai_streamer where the model stands in an object store
    (s3://, gs://), else the engine's own. Published for 70B on four GPUs: 212.7 s downloaded and loaded, 92.1 s
    streamed (anyscale/ray-serve-llm-perf-examples)."""

    cache: Annotated[CacheForm | None, MayBeAbsent(CacheForm)] = None
    """Where compiled code and downloaded weights outlive a pod. Needed by render, without a default: nobody can guess a
    claim's name, and without a cache each start downloads and compiles again (70B: 60.8 s of compilation, 16.1 s from
    the cache)."""

    accelerator: Annotated[str, _RESOURCE] = Server(image="", model="").accelerator
    """Resource by which nodes count their accelerators. nvidia.com/gpu unless said, the most common."""

    cpu: Annotated[float | None, number(0.1, 1_024)] = None
    """Cores that a pod asks for. Not asked for unless said. vLLM runs one process per accelerator and one for its API,
    each of which can keep a core busy."""

    memory: Annotated[float | None, size(2**20, 2**50)] = None
    """Memory that a pod asks for and is limited to, `sharedMemory` included. Neither unless said."""

    shared_memory: Annotated[float | None, size(2**20, 2**46)] = None
    """Size of /dev/shm, mounted where a replica has more than one accelerator: their processes pass tensors through it,
    and a container's own 64 MiB end in a bus error. 1GiB per accelerator unless said, and at least 2GiB."""

    environment: Annotated[tuple[tuple[str, str], ...], TextMap(_VARIABLE, _VALUE)] = ()
    """Environment variables. None more than the cache needs unless said."""

    secrets: Annotated[tuple[str, ...], Texts(Text("a Secret's name", NAME, "hub-token"))] = ()
    """Secrets whose keys become environment variables, such as HF_TOKEN for a gated model. None unless said."""

    labels: Annotated[tuple[tuple[str, str], ...], TextMap(_LABEL, _LABEL_VALUE)] = ()
    """Labels on all objects and pods besides those by which the Service finds its pods. None unless said."""

    node_selector: Annotated[tuple[tuple[str, str], ...], TextMap(_LABEL, _LABEL_VALUE)] = ()
    """Labels of the nodes that a replica may run on. Any node unless said."""

    tolerations: Annotated[tuple[str, ...], Texts(_LABEL)] = ()
    """Keys of node taints that a replica tolerates. None unless said; many clusters add that of their accelerators."""

    service_account: Annotated[str | None, _OBJECT] = None
    """ServiceAccount of the pods, such as one that may read an object store. The namespace's default unless said."""

    @model_validator(mode="after")
    def _image_stays(self) -> ServerForm:
        read = image(self.image)
        if not read.digest and (not read.tag or read.tag in FLOATING):
            what = f"the tag {shown(read.tag)} floats" if read.tag else "there is no tag"
            raise Contradiction(f"{shown(self.image)}: {what}; write a release's tag or a digest", "image")
        return self


class AutoscalerForm(Form):
    """Who owns the replica count on a cluster."""

    kind: Annotated[str, Choice(("hpa", "keda", "aibrix", "none"))] = Autoscaler().kind
    """hpa: a HorizontalPodAutoscaler on running requests per pod, which needs a metrics adapter; keda: a ScaledObject
    on running and waiting requests from Prometheus; aibrix: a PodAutoscaler; none: nobody, and the manifest says
    `scale.min`. hpa unless said, since it is part of every cluster."""

    target: Annotated[float | None, ratio(0.05, 0.9)] = None
    """Running requests per replica that are aimed at, as a share of its slots. `scale.target` unless said where that is
    below 100%, else 60%, the usual advice. At most 90%: running requests never pass the slots, and an autoscaler
    ignores the first 10 % above its target."""

    metric: Annotated[
        str, Text("a metric's name", "[A-Za-z_:][A-Za-z0-9_:./|-]{0,252}", "vllm:num_requests_running")
    ] = Autoscaler().metric
    """Name under which the metrics adapter gives the gauge of running requests (hpa). The engine's own unless said."""

    prometheus: Annotated[
        str,
        Text(
            "an address", r"https?://[A-Za-z0-9][A-Za-z0-9.:/_%-]{0,500}", "http://prometheus.monitoring:9090"
        ),
    ] = Autoscaler().prometheus
    """Address of the Prometheus that KEDA asks. Needed where `kind` is keda."""


class DrainForm(Form):
    """How a pod drains; for how long at most, N, stands in `scale.drain`."""

    mode: Annotated[str, Choice(("auto", "native", "idle"))] = Draining().mode
    """native: the server ends what runs (--shutdown-timeout, vLLM since 0.18.0, one API server); idle: the preStop hook
    waits until nothing runs or waits. auto unless said: native where the release and the API servers allow it."""

    node_wait: Annotated[float, duration(0, 24 * 3600)] = Draining().node_wait_s
    """For how long those who empty nodes wait for a pod. 10m unless said, cluster-autoscaler's own
    (--max-graceful-termination-sec 600). render says where a grace period is longer."""


class RolloutForm(Form):
    """How pods are replaced when their template changes."""

    strategy: Annotated[str, Choice(("auto", "surge", "replace"))] = Rollout().strategy
    """surge: the new pod is ready before an old one goes; replace: the old pod's accelerators are the new one's, one
    replica short meanwhile. auto unless said: surge for a single replica always (replacing it is a whole cold start
    without the model), else surge unless too few accelerators are known to be spare."""

    spare_accelerators: Annotated[int | None, count(0, 1_000_000)] = None
    """Accelerators that are free while a rollout runs. Not known unless said, and then a pod that finds no place is
    reported by the deadline."""

    deadline: Annotated[float | None, duration(60, 24 * 3600)] = None
    """Without progress for so long, a rollout is reported as stuck. By the measured start-up unless said."""


class AlertsForm(Form):
    """From when on somebody is told."""

    queue_time: Annotated[float, duration(0.3, 3600)] = Alerts().queue_time_s
    """Queue time, at the 95th percentile of the requests that end, above which users are kept waiting. 5s unless said.
    Below 300ms the engine's histogram can't tell."""

    queue_for: Annotated[float, duration(0, 24 * 3600)] = Alerts().queue_for_s
    """For how long, before it is told. 5m unless said: longer than a start that is on its way takes."""

    waiting_for: Annotated[float, duration(60, 24 * 3600)] = Alerts().waiting_for_s
    """A queue that has not been empty for so long is a backlog, not a burst. 10m unless said."""

    pinned_for: Annotated[float, duration(0, 24 * 3600)] = Alerts().pinned_for_s
    """At `scale.max` for so long. 15m unless said. There an autoscaler looks stable whether 10 or 1000 wait."""

    full: Annotated[float, ratio(0.05, 1)] = Alerts().full_ratio
    """Share of all slots in use from which a fleet is full. 95% unless said."""

    full_for: Annotated[float, duration(0, 24 * 3600)] = Alerts().full_for_s
    """For how long, before it is told. 15m unless said."""

    turns: Annotated[int, count(1, 1_000)] = Alerts().turns
    """Rises and falls of the replica count within an hour, each as many times, from which it flaps. 3 unless said: more
    than a few scaling events an hour pay cold starts for noise."""

    changes: Annotated[int, count(1, 10_000)] = Alerts().changes
    """Changes of the replica count within an hour above which something is wrong. 36 unless said: a fleet that goes
    down by one replica per two minutes makes 30, and a few more come on the way up."""

    cut: Annotated[float, ratio(0, 1)] = Alerts().cut_ratio
    """Share of the requests that end by abort or error above which streams are cut. 1% unless said, what N is chosen to
    cut at most. A client that hangs up can count as an abort too: raise it where many do."""

    labels: Annotated[tuple[tuple[str, str], ...], TextMap(_ALERT_LABEL, _WORD)] = ()
    """Labels on each alert, such as the team that is told. None unless said, besides severity and fleet."""

    rule_labels: Annotated[tuple[tuple[str, str], ...], TextMap(_LABEL, _LABEL_VALUE)] = ()
    """Labels on the PrometheusRule, by which a Prometheus finds it (often release: …). None unless said."""

    series: Annotated[
        str,
        Text(
            "label matchers",
            r'[a-zA-Z_][a-zA-Z0-9_]*(=~|!~|!=|=)"[^"\\\x00-\x1f]*"(,[a-zA-Z_][a-zA-Z0-9_]*(=~|!~|!=|=)"[^"\\\x00-\x1f]*")*',
            "'job=\"llama-70b\"'",
        ),
    ] = Alerts().series
    """Label matchers of this fleet's series, in alerts, the dashboard and KEDA's query. By namespace and model_name
    unless said; another one is needed where two fleets serve one name."""

    resets: Annotated[
        str, Text("PromQL", rf"{_LINE}{{1,2048}}", "'sum(rate(envoy_cluster_upstream_rq_rx_reset[5m]))'")
    ] = Alerts().resets
    """Streams per second that the gateway saw reset after they had begun, as PromQL: what was cut without the engine
    counting it. Not watched unless said, since each gateway counts it under its own name."""
