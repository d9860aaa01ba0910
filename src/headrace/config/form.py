"""The keys of a ModelFleet file. The docstring under each is its description everywhere.

The schema that editors show and the reference page are made from these; so each says the unit, what the
default is for, and what was measured. A key that nothing acts on yet is not here, and is refused.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Discriminator, Field, Tag, model_validator

from headrace.config.form_serving import (
    AlertsForm,
    AutoscalerForm,
    DrainForm,
    RolloutForm,
    ServerForm,
    release,
    tagged_release,
    written_flags,
)
from headrace.config.leaf import NAME, Choice, Label, count, duration, number, rate, ratio
from headrace.config.shape import Contradiction, Form, MayBeAbsent
from headrace.spec import Capacity, Rule, Scale, Slo
from headrace.units import duration_text, shown

API_VERSION: Final = "headrace.dev/v1alpha1"
KIND: Final = "ModelFleet"
FIGURE: Final = "(one figure)"
PHASES: Final = "(list of phases)"

_PHASE_NAME: Final = "[A-Za-z0-9]([A-Za-z0-9 ,._/+-]{0,61}[A-Za-z0-9])?"


class MetadataForm(Form):
    """Who it is."""

    name: Annotated[str, Label("a name", NAME, 'lower-case letters, digits and "-", at most 63')]
    """Name of the fleet, unique in the file: an RFC 1123 label, as Kubernetes wants names, since objects,
    metric labels and journal files are named after it."""


class SloForm(Form):
    """The service level."""

    over: Annotated[float, ratio(0, 0.5)] = Slo().over_ratio
    """Share of requests that may arrive while the fleet is full. 0.1% unless said: each tenfold less costs
    about an eighth more GPU-hours (1.19, 1.35, 1.52 times those of mean demand at 0.1 %, 0.01 % and none over
    on six real demand histories, four of them LLM traffic, at 60 replicas and 3 minutes of start-up)."""


class CapacityForm(Form):
    """What one replica serves within the service level."""

    slots: Annotated[int, count(1, 65_536)]
    """Requests that one engine runs at once: the value of vLLM's --max-num-seqs (SGLang:
    --max-running-requests). Without a default: the server's own differs by release and by accelerator (256
    or 1,024), and a guess would be wrong by four times without anything failing."""

    data_parallel: Annotated[int, count(1, 1_024)] = Capacity(slots=1).data_parallel
    """Engines in one replica (--data-parallel-size); each runs `slots` requests of its own. 1 unless said,
    as the flag is."""

    accelerators: Annotated[int | None, count(1, 16_384)] = None
    """Accelerators that one replica holds, all its engines together (tensor × pipeline × data parallel).
    One per engine unless said: right where a model fits one accelerator, too little where it does not."""

    kv_tokens: Annotated[int | None, count(1, 1_000_000_000_000)] = None
    """Tokens that the KV cache of one engine holds (the start-up log prints "KV cache size"). With it,
    slots are lowered to what the cache holds at the tokens a running request is seen to need. Not a limit
    unless said."""

    requests_per_second: Annotated[float | None, rate(0.001, 100_000)] = None
    """Requests per second that one replica was measured to serve within the service level (7.5, or 450/m).
    Needed where a demand history counts requests per second; `slots` stay needed beside it, since a running
    fleet is seen in slots. Not known unless said."""

    @model_validator(mode="after")
    def _engines_have_accelerators(self) -> CapacityForm:
        if self.accelerators is not None and self.accelerators < self.data_parallel:
            problem = f"{self.accelerators} is below dataParallel, {self.data_parallel}"
            raise Contradiction(f"{problem}; each engine holds at least one", "accelerators")
        return self


class SurgeForm(Form):
    """A class of surge that the fleet must survive at any moment, without being told."""

    rise: Annotated[float, ratio(0.01, 10)]
    """Rise over present demand: 35% means to 135 %."""

    within: Annotated[float, duration(1, 6 * 3600)]
    """From the first sign to the full rise. What a fleet must hold spare is the smaller of the whole rise
    and of what can rise during one decision and one start-up, so a slower ramp costs less."""


class ScaleForm(Form):
    """Between which limits and by which rule the fleet is scaled."""

    min: Annotated[int, count(1, 10_000, "scale to zero is not built yet")] = Scale().min_replicas
    """Fewest replicas. 1 unless said: a fleet at zero makes its first caller wait a whole start-up."""

    max: Annotated[int, count(1, 10_000)]
    """Most replicas. Without a default: nobody should pay for a number of accelerators that nobody wrote
    down."""

    target: Annotated[float, ratio(0.05, 1)] = Scale().target_ratio
    """Share of its slots that a replica is meant to use; demand is counted against slots × target. 100%
    unless said: slots are what a replica serves within its service level, and spare room is what `headroom`
    and `surge` are for (an HPA's target does both at once). Lower it where latency bends before the slots
    are full."""

    headroom: Annotated[float, number(-0.2, 8)] = Rule().headroom
    """x of the scaling rule: replicas held spare are x × curve^p × mean^(1-p), in replicas of expected and of
    mean demand, so at mean demand 0.5 holds half as much again; p is 1/2, and 1/4 where start-up takes more
    than 5m. A number, not a share. 0.6 unless said, the safe side for a fleet without a history: of six real
    histories at 60 replicas the median one needed 0.10, 0.33 and 0.58 for 0.1 %, 0.01 % and none of its
    requests over at 3 minutes of start-up, and 0.32, 0.62 and 1.0 at 12 minutes; replaying its own days finds
    the smallest x that keeps `slo.over`."""

    surge: Annotated[SurgeForm | None, MayBeAbsent(SurgeForm)] = Field(default=None)
    """Class of surge to survive at any moment. May stand beside `headroom`: headroom answers for the noise
    of demand, surge for a named jump, and the fleet holds whichever asks for more. None unless said, since
    the insurance is paid every day: for +35 % within 5 minutes, 8 %, 24 % and 30 % more GPU-hours at
    start-ups of 20 seconds, 3 and 12 minutes (bounds of any policy on one business day)."""

    priority: Annotated[int, count(-1_000, 1_000)] = Scale().priority
    """Which fleet gets accelerators first where there are not enough: higher wins, but never below
    another's `min`. 0 unless said: all alike."""

    down_window: Annotated[float | None, duration(0, 6 * 3600)] = None
    """A removal goes at most down to the greatest want of this long. 5m unless said, as an HPA's
    stabilization window."""

    down_interval: Annotated[float | None, duration(0, 6 * 3600)] = None
    """Time between removals of one replica; 0s removes all that are not wanted at once, and takes drains
    back when demand returns. 0s unless said: on real demand it is cheaper at every start-up time."""

    drain: Annotated[float, duration(1, 6 * 3600)] = Scale().drain_s
    """N: for so long at most a draining replica keeps its streams, the wait at the router and the server's own
    --shutdown-timeout together; what still runs then is cut. Grace is 20s + N + 30s. 5m unless said, longer than
    nearly all streams; `headrace plan` finds the smallest N that cuts at most 1 % of the work. How a pod drains
    stands in `spec.drain`."""

    @model_validator(mode="after")
    def _max_not_below_min(self) -> ScaleForm:
        if self.max < self.min:
            raise Contradiction(f"{self.max} is below min, {self.min}", "max")
        return self


class PhaseForm(Form):
    """One phase of start-up."""

    name: Annotated[
        str, Label("a phase name", _PHASE_NAME, "letters, digits, spaces and ,._/+- inside, at most 63")
    ]
    """What happens in it, such as node, image, weights, compile. Each name once."""

    median: Annotated[float, duration(0, 24 * 3600)]
    """How long it takes half of the time at most."""

    p90: Annotated[float | None, duration(0, 48 * 3600)] = None
    """How long it takes nine times of ten at most; probe budgets and the alarm of an overdue start are
    reckoned from it. A third above the median unless said. Engine phases repeat within 2 % (compile 60.8 to
    61.8 s over four runs); transfers spread: 7,531 loads in production had their p95 at twice the median,
    which makes a p90 of 1.7. A start-up of which 14 % is transfer (70B, sharded stream) then has its p90 at
    1.1 times the median, one with 75 % (235B, hub download) at 1.55; a third is the middle. Sources:
    Alibaba GenTD26 (2025), anyscale/ray-serve-llm-perf-examples (2025)."""

    @model_validator(mode="after")
    def _p90_not_below_median(self) -> PhaseForm:
        if self.p90 is not None and self.p90 < self.median:
            texts = duration_text(self.p90), duration_text(self.median)
            raise Contradiction("{} is below the median, {}".format(*texts), "p90")
        return self


def _shape(given: Any) -> str:
    return PHASES if isinstance(given, list) else FIGURE


Figure = Annotated[float, duration(0.1, 24 * 3600)]
Phases = Annotated[list[PhaseForm], Field(min_length=1, max_length=32)]


class SpecForm(Form):
    """What is wanted."""

    engine: Annotated[str, Choice(("vllm", "sglang"))] = "vllm"
    """Model server in the replicas: whose metric names and arguments are read. vllm unless said."""

    slo: SloForm = Field(default_factory=SloForm)
    """The service level."""

    capacity: CapacityForm
    """What one replica serves within the service level."""

    scale: ScaleForm
    """Between which limits and by which rule the fleet is scaled."""

    start: Annotated[
        Annotated[Figure, Tag(FIGURE)] | Annotated[Phases, Tag(PHASES)], Discriminator(_shape)
    ] = 180.0
    """From the decision to the first request: one figure, the median of the whole, or a list of phases. 3m
    unless said, a node and its image being there: 70B models were published at 198 s (sharded stream) to
    375 s (hub download) on 8 H100, while a new node and the image alone took 511 s (kaito-project/kaito,
    2026). Measure yours: what a fleet must hold spare grows with it."""

    server: Annotated[ServerForm | None, MayBeAbsent(ServerForm)] = Field(default=None)
    """What runs in a replica. Needed by `headrace render`, and by nothing else: a plan is made without."""

    autoscaler: AutoscalerForm = Field(default_factory=AutoscalerForm)
    """Who owns the replica count on a cluster. Of no effect where `scale.min` and `scale.max` are one number: then
    the manifest says it."""

    drain: DrainForm = Field(default_factory=DrainForm)
    """How a pod drains. For how long at most, N, stands in `scale.drain`, since every decision reads it."""

    rollout: RolloutForm = Field(default_factory=RolloutForm)
    """How pods are replaced when their template changes."""

    alerts: AlertsForm = Field(default_factory=AlertsForm)
    """From when on somebody is told."""

    @model_validator(mode="after")
    def _accelerators_are_split(self) -> SpecForm:
        if self.server is None:
            return self
        engines, stages = self.capacity.data_parallel, self.server.pipeline_parallel
        accelerators = self.capacity.accelerators or engines
        ways = self.server.tensor_parallel
        if ways is None and accelerators % (engines * stages):
            split = f"dataParallel {engines} × pipelineParallel {stages}"
            problem = f"{accelerators} accelerators can't be split into {split}; give a multiple of {engines * stages}"
            raise Contradiction(problem, "capacity", "accelerators")
        if ways is not None and ways * stages * engines != accelerators:
            problem = (
                f"{ways} × pipelineParallel {stages} × dataParallel {engines} is {ways * stages * engines}"
            )
            raise Contradiction(
                f"{problem}, not spec.capacity.accelerators, {accelerators}", "server", "tensorParallel"
            )
        return self

    @model_validator(mode="after")
    def _release_is_the_images(self) -> SpecForm:
        if self.server and self.server.release:
            told = tagged_release(self.engine, self.server.image)
            if told and told != release(self.server.release):
                number = ".".join(map(str, told))
                problem = (
                    f"{shown(self.server.release)} is not the release of the image, whose tag says {number}"
                )
                raise Contradiction(
                    f"{problem}; leave it out, or give the image's digest", "server", "release"
                )
        return self

    @model_validator(mode="after")
    def _arguments_are_not_written_twice(self) -> SpecForm:
        for place, argument in enumerate(self.server.args if self.server else ()):
            flag = argument.partition("=")[0]
            if home := written_flags(self.engine).get(flag):
                problem = f"render writes {flag} itself, from {home}"
                raise Contradiction(f"{problem}; leave it out here", "server", "args", place)
        return self

    @model_validator(mode="after")
    def _start_is_a_start(self) -> SpecForm:
        if isinstance(self.start, list):
            names = [phase.name for phase in self.start]
            for i, name in enumerate(names):
                if name in names[:i]:
                    raise Contradiction(f'"{name}" is already the name of another phase', "start", i, "name")
            if sum(phase.median for phase in self.start) < 0.1:
                raise Contradiction("the medians add up to less than 100ms", "start")
        return self


class FleetForm(Form):
    """All the replicas of one model. A file may hold several, parted by ``---``."""

    api_version: Annotated[str, Choice((API_VERSION,))]
    """Version of this format."""

    kind: Annotated[str, Choice((KIND,))]
    """Always ModelFleet."""

    metadata: MetadataForm
    """Who it is."""

    spec: SpecForm
    """What is wanted."""

    @model_validator(mode="after")
    def _services_begin_with_a_letter(self) -> FleetForm:
        if self.spec.server and self.metadata.name[0].isdigit():
            problem = f'"{self.metadata.name}" begins with a digit, and a Service must begin with a letter'
            raise Contradiction(
                f'{problem}; did you mean "model-{self.metadata.name[:57]}"?', "metadata", "name"
            )
        return self
