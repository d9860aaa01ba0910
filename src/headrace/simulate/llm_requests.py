"""How long the requests of the built-in LLM traffic take: token counts of real traffic, and a stated rate model.

The counts are request-weighted quantiles of ServeGen's m-large (alibaba/ServeGen, Apache-2.0: files
servegen_m_large_{input,output}_tokens_quantiles; its busiest clients are missing there). No public trace has durations,
so they are made: a prompt is read at `PREFILL_TOKENS_PER_S`, and an answer is written at `DECODE_TOKENS_PER_S`, the
pace of a 70B model on eight H100 with half of its slots taken. Input and output are drawn apart from one another.
"""

from __future__ import annotations

import numpy as np

from headrace.simulate.fluid import Floats

QUANTILES = (0.0005, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.9995)
INPUT_TOKENS = (19, 64, 74, 254, 602, 1048, 2369, 2403, 4187, 6025, 12_871)
OUTPUT_TOKENS = (1, 1, 1, 8, 53, 206, 461, 536, 879, 1071, 2270)
PREFILL_TOKENS_PER_S = 8_000.0
DECODE_TOKENS_PER_S = 30.0


def durations_s(count: int, seed: int = 7) -> Floats:
    """Durations of that many requests, seconds, shape [count]; the same seed gives the same ones."""
    random = np.random.default_rng(seed)
    prompt, answer = (tokens(random.random(count), table) for table in (INPUT_TOKENS, OUTPUT_TOKENS))
    return duration_s(prompt, answer)


def tokens(uniform: Floats, table: tuple[int, ...]) -> Floats:
    """Token counts by quantile, whole, straight between the quantiles in the logarithm; flat beyond the ends."""
    logs = np.interp(uniform, QUANTILES, np.log(np.array(table, dtype=np.float64)))
    return np.asarray(np.round(np.exp(logs)), dtype=np.float64)


def duration_s(prompt_tokens: Floats, answer_tokens: Floats) -> Floats:
    """The rate model: prefill, then one token after the other."""
    return prompt_tokens / PREFILL_TOKENS_PER_S + answer_tokens / DECODE_TOKENS_PER_S
