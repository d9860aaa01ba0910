"""What one long prompt does to everybody else on its replica, and how many replicas keep others out of its way.

The model: a prompt of p tokens takes p / rate seconds of a replica. Engines prefill prompts in the order in which they
came, so whoever comes next waits for its first token until the long prompt is through.

* Not chunked: streams that already run stand still as long.
* Chunked: they go on, by one token per chunk; newcomers still wait, since the prompt that was begun takes the budget of
  each step first (vllm-project/vllm#21495 describes it; sgl-project/sglang#34623 measured 10 % of requests above 60 s
  to the first token while prompts of 642,000 to 912,000 tokens ran, and 0.2 to 0.6 % in the hours around).
* Chunked, and a long prompt limited to a share of each step (vLLM: --long-prefill-token-threshold): newcomers pass it.

A prompt's own first token takes p / rate wherever it runs: no number of replicas changes that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_MOST_REPLICAS = 10_000


class Block(NamedTuple):
    """What one prompt makes others on its replica wait."""

    first_token_s: float
    """Newcomers, for their first token, if they come just after it."""
    token_s: float
    """Running streams, for their next token, at worst."""


class Prefill(NamedTuple):
    """How a replica prefills."""

    tokens_per_s: float
    """Prompt tokens per second of one replica, measured on prompts as long as those that matter (> 0)."""
    chunk_tokens: float | None = None
    """Tokens of a step (vLLM: max-num-batched-tokens); None: prompts are not chunked."""
    long_ratio: float = 1.0
    """Share of each step that one long prompt may take (0 to 1], where prompts are chunked."""


class PrefillFloor(NamedTuple):
    """Replicas that keep a long prompt from making others time out."""

    replicas: int
    blocked: float
    """Replicas that a long prompt blocks, mean."""
    blocking_ratio: float
    """Share of the prompts that block others for longer than they wait."""
    worst: Block
    """What the longest prompt does."""
    why: str


def block(prompt_tokens: float, prefill: Prefill) -> Block:
    """What a prompt makes others wait: 120,000 tokens at 8,000 a second block first tokens for 15 s.

    Not chunked, running streams stand still for the same 15 s; in chunks of 8,192 tokens they get a token every 1.02 s.
    With half of each step left to others, newcomers don't wait for it.
    """
    whole_s = prompt_tokens / prefill.tokens_per_s
    if prefill.chunk_tokens is None:
        return Block(whole_s, whole_s)
    step_s = min(whole_s, prefill.chunk_tokens / prefill.tokens_per_s)
    return Block(whole_s if prefill.long_ratio >= 1.0 else step_s, step_s)


def prefill_floor(
    prompt_tokens: NDArray[np.float64],
    requests_per_s: float,
    prefill: Prefill,
    first_token_s: float,
    over_ratio: float = 0.001,
) -> PrefillFloor:
    """The fewest replicas of which one is nearly always free of a long prompt.

    Prompts that block for longer than others wait arrive at random; as many replicas are blocked at a moment as a
    Poisson count of mean (rate × time that each blocks). The floor is the least number that this count reaches in no
    more than `over_ratio` of the moments, and at least two as soon as there is any such prompt: with one replica
    everybody waits behind it. It takes a router that knows who is busy (least requests, or queue length): one that
    spreads blindly sends some to a blocked replica however many there are.

    Args:
        prompt_tokens: shape [n], lengths of prompts, or their quantiles evenly spaced; each counts alike.
        requests_per_s: Of the whole fleet, at its busiest (>= 0).
        prefill: How a replica prefills.
        first_token_s: For so long others wait for their first token: the SLO, or a client's time-out.
        over_ratio: Share of the moments in which all replicas may be blocked.
    """
    if not len(prompt_tokens):
        return PrefillFloor(1, 0.0, 0.0, Block(0.0, 0.0), "no prompt lengths are known")
    blocks_s = np.array([block(float(tokens), prefill).first_token_s for tokens in prompt_tokens])
    long = blocks_s > first_token_s
    longest = float(np.max(prompt_tokens))
    worst, ratio = block(longest, prefill), float(long.mean())
    if not long.any():
        why = (
            f"1 replica is enough for prompts: the longest, of {longest:,.0f} tokens, makes others wait"
            f" {worst.first_token_s:.2g} s, within the {first_token_s:g} s for a first token"
        )
        return PrefillFloor(1, 0.0, 0.0, worst, why)
    blocked = requests_per_s * float(np.where(long, blocks_s, 0.0).mean())
    replicas = max(2, _count_within(blocked, over_ratio))
    why = (
        f"{replicas} replicas at least: {100.0 * ratio:.2g} % of prompts make others wait longer than"
        f" {first_token_s:g} s for a first token (the longest, of {longest:,.0f} tokens, {worst.first_token_s:.3g} s),"
        f" and block {blocked:.2g} replicas at a time on average; all of {replicas} are blocked in at most"
        f" {100.0 * over_ratio:.2g} % of the moments"
    )
    return PrefillFloor(replicas, blocked, ratio, worst, f"{why}; {_cure(prefill)}")


def _count_within(mean: float, over_ratio: float) -> int:
    """The least n that a Poisson count of this mean reaches with at most this chance."""
    term, below, count = math.exp(-mean), 0.0, 0
    if term == 0.0:  # beyond the floats: the normal distribution is close enough, and on the safe side
        return min(_MOST_REPLICAS, math.ceil(mean + 6.0 * math.sqrt(mean)))
    while 1.0 - below > over_ratio and count < _MOST_REPLICAS:
        below += term
        count += 1
        term *= mean / count
    return count


def _cure(prefill: Prefill) -> str:
    if prefill.chunk_tokens is None:
        return "chunked prefill would let running streams go on meanwhile"
    return "limiting a long prompt to a share of each step (vLLM: --long-prefill-token-threshold) lets others pass it"
