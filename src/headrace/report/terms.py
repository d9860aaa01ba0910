"""The words that a reader of the page of a plan meets, each explained once."""

from __future__ import annotations

from collections.abc import Iterable

TERMS: dict[str, str] = {
    "replica": "One running copy of the model server, with the accelerators that it holds.",
    "accelerator": "A GPU or a card that serves as one.",
    "slots": "Requests that one replica can run at the same time. What comes beyond them waits.",
    "demand": "What users ask for, whether or not it is served: requests a second, or slots that are needed at once.",
    "over capacity": (
        "Moments in which demand is more than the ready replicas serve. Requests over are those that arrive beyond it: "
        "they wait or are refused."
    ),
    "GPU-hours": (
        "Accelerators times the hours for which they are paid, while replicas start and drain too. It is the price of "
        "a policy."
    ),
    "min": "The fewest replicas that run at any time.",
    "max": "The most replicas that run at any time: no more than can be scheduled.",
    "floor": "The fewest replicas that must be ready whatever demand says, so that one long request blocks no one.",
    "target": (
        "How many requests a replica should run before another one is ordered. Below the slots, because a queue begins "
        "before all slots are taken."
    ),
    "headroom": "Capacity held ready beyond what is needed now, for growth that comes before a new replica can serve.",
    "start-up": "From ordering a replica to its first request: node, image, weights, compilation.",
    "startup probe": (
        "How long Kubernetes waits for a container that starts before it kills it and tries again. Too short, and a "
        "healthy replica never gets ready."
    ),
    "drain N": (
        "Seconds for which a replica that is to go may finish what it streams; it gets no new requests. "
        "What lasts longer is cut."
    ),
    "grace": (
        "Seconds between Kubernetes asking a replica to stop and ending it: 20 until the router has noticed, "
        "N, and 30 to spare."
    ),
    "cut streams": "Answers that end in the middle because their replica went away.",
    "today": "The numbers that run now.",
    "proposed": "The numbers of this plan.",
    "bound": (
        "What one would pay who knew the future. Nobody can run it; it says how much any policy could save at most."
    ),
    "hold-out": "Days that are kept from the plan while it is made, and on which it is then proved.",
    "forecast quality": "How far the forecast was off on days that it had not seen.",
    "replica size": "How many accelerators one replica has. Smaller replicas follow demand in smaller steps.",
    "median": "Half of all cases are below, half above.",
    "p90": "Nine of ten cases are below.",
    "upper quantile": "A value that demand is expected to stay below in the share of cases that is named.",
}
"""Term and explanation, in the order to show."""

ALWAYS = (
    "replica",
    "accelerator",
    "slots",
    "demand",
    "over capacity",
    "GPU-hours",
    "start-up",
    "cut streams",
    "today",
    "proposed",
    "median",
    "p90",
    "upper quantile",
)
"""Terms that the page's own sentences use."""


def used(names: Iterable[str]) -> dict[str, str]:
    """The terms to explain on a page on which these names stand, in the order to show."""
    wanted = {*ALWAYS, *names}
    return {term: said for term, said in TERMS.items() if term in wanted}


def key(term: str) -> str:
    """The id of a term's explanation on the page."""
    return "term-" + "".join(c if c.isalnum() else "-" for c in term)
