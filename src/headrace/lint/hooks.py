"""A drain added to a server that has none: the hook, the shutdown timeout, N."""

from __future__ import annotations

from collections.abc import Iterable

from headrace.decide.grace import GRACE_BEFORE_S
from headrace.documents import Sequence
from headrace.engine import Metric
from headrace.hook import Hook, script
from headrace.lint.change import AddItems, AddKey, Change, SetScalar
from headrace.lint.known import Known
from headrace.manifest.server import Server
from headrace.manifest.tree import has, items, truth
from headrace.spec import Scale


def drain_s(servers: Iterable[Server], known: Known) -> float:
    """N for servers that have none yet: their fleet's, else the default of a fleet; the longest of them."""
    found = [fleet.scale.drain_s for server in servers if (fleet := known.fleet(server))]
    return max(found, default=Scale().drain_s)


def drains_by_itself(server: Server) -> bool | None:
    """Whether SIGTERM can drain it: a release with a shutdown timeout, one API server process; None: not known."""
    launch = server.engine.launch
    if launch is None or server.start is None or launch.shutdown_since is None:
        return None
    if (server.number(launch.api_servers) or 1) > 1:
        return False
    return None if server.release is None else server.release >= launch.shutdown_since


def timeout_changes(server: Server, known: Known) -> tuple[Change, ...]:
    """The shutdown timeout behind the server's last argument; nothing where a script or no list holds them."""
    launch = server.engine.launch
    if (
        launch is None
        or server.start is None
        or server.start.script is not None
        or not launch.shutdown_timeout
    ):
        return ()
    name = launch.shutdown_timeout[0]
    flag = server.flag(launch.shutdown_timeout)
    value = f"{drain_s((server,), known):.0f}"
    if flag is not None:
        if flag.value is None:
            return ()
        return (SetScalar(flag.value.node, value if flag.value is not flag.arg else f"{name}={value}"),)
    found = server.at("args") if items(server.node, "args") else server.at("command")
    return (AddItems(found, (f"{name}={value}",)),) if isinstance(found, Sequence) else ()


def hook_changes(server: Server, known: Known) -> tuple[Change, ...]:
    """The preStop hook, and the shared process namespace it needs; nothing where the way to drain is not known."""
    native = drains_by_itself(server)
    if (
        native is None
        or server.port is None
        or has(server.node, "lifecycle")
        or len(server.pod.containers) > 1
    ):
        return ()
    spec = server.pod.spec
    if has(spec, "shareProcessNamespace") and not truth(spec, "shareProcessNamespace"):
        return ()
    metrics = tuple(_name(group, server) for group in (server.engine.running, server.engine.waiting))
    hook = Hook(server.port, GRACE_BEFORE_S, None if native else drain_s((server,), known), metrics)
    body = "\n".join("      " + line if line else "" for line in script(hook).rstrip("\n").split("\n"))
    value = f"preStop:\n  exec:\n    command:\n    - sh\n    - -c\n    - |\n{body}"
    shared = () if has(spec, "shareProcessNamespace") else (AddKey(spec, "shareProcessNamespace", "true"),)
    return (AddKey(server.node, "lifecycle", value), *shared)


def _name(group: tuple[Metric, ...], server: Server) -> str:
    return next((m.name for m in group if server.release is None or m.is_in(server.release)), group[0].name)
