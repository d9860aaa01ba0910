"""The preStop hook of a model server: what holds SIGTERM back, and what ends a pod that is still starting.

One text for whatever writes it (rendered manifests, a linter's fix) and whatever reads it. It is the same for all
engines but for the port and the metrics that it asks for. POSIX shell; of programs only `sleep`, and for the wait until
idle one of curl, python3 and wget.

Two ways:

- native: a server that drains by itself on SIGTERM. While it listens, the hook waits for the routers to drop the pod.
- idle: one that does not. After that wait, the hook asks /metrics until nothing is running or waiting, for at most N.

A pod in which nothing listens yet has nothing to drain: every process in it is killed, which shareProcessNamespace
makes reach the server too (PID 1 is the pause container; kill(2) spares PID 1 and the caller).
"""

from __future__ import annotations

from typing import Final, NamedTuple

MARK: Final = "# headrace: drain before SIGTERM"
"""First line of every hook, by which people know it again."""
LOADERS: Final = ("curl", "python3", "wget")
"""Programs that fetch a page; the first that is there is taken."""
_FETCH_S: Final = 5
"""For so long one page may take; then it counts as not read."""
_PAUSE_S: Final = 2
"""Between two pages: a stream that ends is noticed this much later at most."""


class Hook(NamedTuple):
    """What a hook is told."""

    port: int
    """Where the server listens, 1 to 65,535."""
    before_s: float
    """Wait for the routers, seconds."""
    idle_s: float | None = None
    """N, seconds, for a server that does not drain by itself; None: it does."""
    metrics: tuple[str, ...] = ()
    """Names of gauges that are all 0 when nothing is running or waiting; needed with `idle_s`."""


def command(hook: Hook) -> tuple[str, str, str]:
    """``lifecycle.preStop.exec.command``."""
    return ("sh", "-c", script(hook))


def needs(hook: Hook) -> tuple[tuple[str, ...], ...]:
    """Programs that an image must have, each group any one of which will do.

    Without any of `LOADERS` an idle hook still works: it waits all of N, since it can't see that nothing is left.
    """
    groups: tuple[tuple[str, ...], ...] = (("sh",), ("sleep",))
    return groups if hook.idle_s is None else (*groups, LOADERS)


def script(hook: Hook) -> str:
    """The shell script, its last line with a line end.

    Raises:
        ValueError: A wait until idle without the names of metrics.
    """
    if hook.idle_s is not None and not hook.metrics:
        raise ValueError("a wait until idle needs the metrics that say so")
    wait = _IDLE if hook.idle_s is not None else ""
    text = _FRAME.replace("@WAIT@", wait)
    values = {
        "@MARK@": MARK,
        "@HEX@": f"{hook.port:04X}",
        "@PORT@": str(hook.port),
        "@BEFORE@": f"{hook.before_s:g}",
        "@IDLE@": f"{hook.idle_s or 0:.0f}",
        "@CASES@": " | ".join(f"{name}[{{\\ ]*" for name in hook.metrics),
        "@FETCH@": str(_FETCH_S),
        "@PAUSE@": str(_PAUSE_S),
    }
    for name, value in values.items():
        text = text.replace(name, value)
    return text


_FRAME: Final = """\
@MARK@
listens() {
  for table in /proc/net/tcp /proc/net/tcp6; do
    [ -r "$table" ] || continue
    while read -r _ local _ state _; do
      case "$local/$state" in *:@HEX@/0A) return 0 ;; esac
    done < "$table"
  done
  return 1
}
if listens; then
  sleep @BEFORE@
@WAIT@else
  read -r first < /proc/1/comm || first=unknown
  case "$first" in
    systemd | init | unknown) echo "PID 1 is $first: this is no pod of its own, nothing is killed" >&2 ;;
    *) kill -KILL -1 ;;
  esac
fi
"""

_IDLE: Final = """\
  now() { read -r up _ < /proc/uptime && echo "${up%%.*}"; }
  page() {
    if command -v curl > /dev/null; then
      curl -sf --max-time @FETCH@ http://localhost:@PORT@/metrics
    elif command -v python3 > /dev/null; then
      python3 -c 'import urllib.request as r
print(r.urlopen("http://localhost:@PORT@/metrics", timeout=@FETCH@).read().decode())' 2> /dev/null
    elif command -v wget > /dev/null; then
      wget -q -O - -T @FETCH@ http://localhost:@PORT@/metrics
    fi
  }
  idle() {
    page | {
      seen=no
      while read -r line; do
        case "$line" in
          @CASES@)
            seen=yes
            case "${line##* }" in 0 | 0.0) ;; *) return 1 ;; esac ;;
        esac
      done
      [ "$seen" = yes ]
    }
  }
  end=$(($(now) + @IDLE@))
  while [ "$(now)" -lt "$end" ] && listens; do
    idle && break
    sleep @PAUSE@
  done
"""
