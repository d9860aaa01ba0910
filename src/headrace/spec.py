"""What is wanted: the frozen values of a ModelFleet, as the core reads them.

A *model fleet* is all the replicas of one model. `config.py` makes these from YAML; nothing here parses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Rule(NamedTuple):
    """The numbers of the one scaling rule; `decide/scale.py` says what they do.

    All demand is in replicas (offered slots over the slots that one replica serves). With s the mean of the
    last `samples` seen values, c the expected curve, C its greatest value until a replica ordered now is ready::

        F    = (s + slope_gain * max(0, rise of s against c) * (lag + start-up)) * (C / c_seen) ** curve_weight,
               a rise carried on at most to ceiling_gain * C
        want = ceil(max(C_floor + (floor_gain - 1) * C_floor ** floor_exponent * mean ** (1 - floor_exponent),
                        F + headroom * unit ** exponent * mean ** (1 - exponent)))

    Only numbers (no None, no text), so that the simulator's kernels take it as it is.
    """

    floor_gain: float = 0.0
    """Replicas held per replica of the curve's peak in the floor window, whatever is seen (>= 0; 0: no floor)."""
    floor_exponent: float = 1.0
    """What the floor holds above the curve is in proportion to peak ** this * mean ** (1 - this). 1: to the curve, so
    that a rise by one and the same ratio is survived at all hours; below 1 less at the peak, where a replica per
    replica of demand costs most, and more in the trough, where it costs little."""
    floor_from_s: float = -600.0
    """Start of the floor window, seconds from now; from its end on (infinity): the end alone, as the seed's predictive
    rule reads the curve."""
    floor_to_s: float = 600.0
    """End of the floor window, seconds after the moment at which a replica ordered now is ready."""
    curve_weight: float = 1.0
    """How far the expected rise of the curve scales what is seen: 0 not at all, 1 in full."""
    curve_softening: float = 0.05
    """Share of mean demand added to both sides of the curve's ratio, so that a trough near zero does not explode."""
    samples: int = 3
    """Seen values that are averaged (>= 1)."""
    slope_gain: float = 0.0
    """Share of lag + start-up for which a seen rise is taken to go on (0 to 1)."""
    noise: float = 0.0
    """Scatter of one sample around its level, as a ratio (>= 0), times how many such scatters a rise must exceed to be
    told from noise (1 % and 3.5 times: 0.035). Of all moments among the samples at which a rise may have begun, the one
    counts that makes it steepest: a steep rise is told at its first sample, a slow one at the last. 0: the rise from
    the first sample to the last, whatever it is."""
    ceiling_gain: float = float("inf")
    """Replicas per replica of the curve's peak up to which a rise is carried on (> 0): a surge that has ended looks for
    one start-up time as if it went on, and a class of surge has a height. What is seen is followed above it. Infinity:
    no ceiling; none either where no curve is known."""
    headroom: float = 0.6
    """x: replicas held above F, in units of unit ** exponent * mean ** (1 - exponent) (> -1)."""
    exponent: float = 0.5
    """p: 1 holds headroom in proportion to the unit, 0.5 to its square root, 0 the same at all times."""
    on_curve: bool = True
    """True: the unit is the curve's peak C, so that a trough keeps the headroom of the hours around it, and a surge
    that is already seen gets none on top; False: the unit is F."""
    tolerance: float = 0.0
    """Differences within this ratio of the present count are left alone (an HPA: 0.1)."""
    sync_s: float = 0.0
    """Decide only when a multiple of this many seconds has passed (0: at every tick; an HPA: 15)."""
    down_window_s: float = 300.0
    """D: a removal goes at most down to the greatest want of the last D seconds."""
    down_interval_s: float = 0.0
    """At most one removal step in this many seconds (0: no limit)."""
    down_step: float = float("inf")
    """Most replicas removed in one step."""
    low_timer: bool = False
    """The seed's discipline: D counts from the first tick at which the want is below what is ready."""
    undo: bool = True
    """A drain is undone before anything is started."""


class Surge(NamedTuple):
    """A class of surge that the fleet must survive at any moment, without being told."""

    rise_ratio: float
    """Rise over present demand (0.35: to 135 %)."""
    ramp_s: float
    """Seconds from the first sign to the full rise."""


P90_OF_MEDIAN = 4 / 3
"""p90 of a start-up, or of a phase of it, of which only the median is known; config/form.py says from which data."""


class Phase(NamedTuple):
    """One phase of start-up, as measured."""

    name: str
    median_s: float
    p90_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """What one replica serves within the service level."""

    slots: int
    """max-num-seqs of one engine: requests that run at once."""
    data_parallel: int = 1
    """Engines (data-parallel ranks) in one replica; each has its own max-num-seqs."""
    accelerators: int = 1
    """Accelerators that one replica holds."""
    kv_tokens: int | None = None
    """Tokens that the KV cache of one engine holds (the start-up log prints it); None: not a limit."""
    requests_per_s: float | None = None
    """Requests per second that one replica serves within the SLO, where it has been measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slo:
    """The service level."""

    over_ratio: float = 0.001
    """Share of requests that may meet a full fleet (0 to 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Between which limits and by which rule the fleet is scaled."""

    min_replicas: int = 1
    max_replicas: int = 1
    target_ratio: float = 1.0
    """Share of its slots that a replica is meant to use (0 to 1]."""
    priority: int = 0
    """Higher wins accelerators from lower, never below the other's floor."""
    surge: Surge | None = None
    """Class of surge to survive at any moment; raises the rule's headroom as start-up time demands."""
    lag_s: float = 60.0
    """Age of the newest sample when it is decided on (>= 0). 60: a Prometheus that scrapes every 30 s and a rate
    over the last minute; our own gateway's count is seconds old, and then 60 errs towards one minute of headroom."""
    tick_s: float = 10.0
    """Seconds between two decisions (> 0). 10: a sixth of the lag, so that deciding adds little to it."""
    drain_s: float = 300.0
    """N: for so long at most a draining replica keeps its streams (> 0). 300: longer than nearly all streams, and
    with 20 s for the routers and 30 s to end, still a grace period that nobody's node drain times out on."""
    rule: Rule = field(default_factory=Rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How long a replica takes from the decision to its first request."""

    phases: tuple[Phase, ...] = (Phase("start-up", 180.0, 240.0),)


Texts = tuple[tuple[str, str], ...]
"""Keys and values of a mapping of text to text, such as labels, in the order of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The model server in a replica's pod: what its manifest needs and no measurement says.

    What is None or empty is the engine's own, or is left out of the manifest; config/form_serving.py says which.
    """

    image: str
    """With a tag or a digest that does not float."""
    model: str
    """As the server's command takes it: a name on a hub, a path, an address of an object store."""
    cache_claim: str = ""
    """PersistentVolumeClaim for compiled code and downloaded weights; this or `cache_path`."""
    cache_path: str = ""
    """Folder of the node for the same."""
    release: tuple[int, int, int] | None = None
    """Of the engine; None: not known."""
    served_name: str = ""
    namespace: str = ""
    container: str = "server"
    """Its name in the pod."""
    port: int | None = None
    api_servers: int = 1
    tensor_parallel: int | None = None
    """None: what `Capacity.accelerators` leaves for it."""
    pipeline_parallel: int = 1
    args: tuple[str, ...] = ()
    loader: str = ""
    """Load format."""
    accelerator: str = "nvidia.com/gpu"
    """Resource that a node counts them by."""
    cpu: float | None = None
    """Cores."""
    memory_bytes: float | None = None
    shared_memory_bytes: float | None = None
    environment: Texts = ()
    secrets: tuple[str, ...] = ()
    """Secrets whose keys become environment variables."""
    labels: Texts = ()
    node_selector: Texts = ()
    tolerations: tuple[str, ...] = ()
    """Keys of taints that are tolerated."""
    service_account: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Autoscaler:
    """Who owns the replica count on a cluster, and by which number."""

    kind: str = "hpa"
    """hpa, keda, aibrix or none."""
    target_ratio: float | None = None
    """Running requests per replica, as a share of its slots; None: by `Scale.target_ratio`."""
    metric: str = ""
    """Name under which an adapter gives the engine's gauge of running requests; empty: its own."""
    prometheus: str = ""
    """Address that KEDA asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draining:
    """How a pod drains; for how long at most is `Scale.drain_s`."""

    mode: str = "auto"
    """native: the server's own; idle: the hook waits until nothing runs; auto: native where the server has it."""
    node_wait_s: float = 600.0
    """For how long those who empty a node wait for a pod (cluster-autoscaler: 600 by default)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """How pods are replaced."""

    strategy: str = "auto"
    """surge: a new pod first; replace: an old pod first; auto: by replicas and spare accelerators."""
    spare_accelerators: int | None = None
    """Free while a rollout runs; None: not known."""
    deadline_s: float | None = None
    """Without progress for so long a rollout is reported as stuck; None: by the measured start-up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alerts:
    """From when on somebody is told."""

    queue_time_s: float = 5.0
    """The 95th percentile of queue time that is still right."""
    queue_for_s: float = 300.0
    waiting_for_s: float = 600.0
    """A queue that never empties for so long."""
    pinned_for_s: float = 900.0
    """At the most replicas for so long."""
    full_ratio: float = 0.95
    """Share of all slots in use that is still right."""
    full_for_s: float = 900.0
    turns: int = 3
    """Rises and falls of the replica count within an hour that are still right."""
    changes: int = 36
    """Changes of the replica count within an hour that are still right."""
    cut_ratio: float = 0.01
    """Share of the requests that end by abort or error that is still right."""
    labels: Texts = ()
    """On each alert."""
    rule_labels: Texts = ()
    """On the PrometheusRule, for the Prometheus that selects by them."""
    series: str = ""
    """Label matchers of the engine's series; empty: by namespace and served name."""
    resets: str = ""
    """PromQL: streams that the gateway saw cut after they had begun, per second; empty: not watched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFleet:
    """All the replicas of one model."""

    name: str
    capacity: Capacity
    engine: str = "vllm"
    slo: Slo = field(default_factory=Slo)
    scale: Scale = field(default_factory=Scale)
    start: Start = field(default_factory=Start)
    server: Server | None = None
    """None: nothing says what runs in a replica, and no manifest can be rendered."""
    autoscaler: Autoscaler = field(default_factory=Autoscaler)
    drain: Draining = field(default_factory=Draining)
    rollout: Rollout = field(default_factory=Rollout)
    alerts: Alerts = field(default_factory=Alerts)
