"""Reads weeks of one or many models from Prometheus, or from what answers as it does (Thanos, Mimir).

`read.read_past` is the way in, `source` says where from and as whom and what is wanted. The rest, in the order of
the data: `queries` (the PromQL), `spans` (what is asked in one go), `store` (finished answers on disk), `connection`
(HTTP), `refusal` (what an answer that is none means), `answer` (JSON to arrays), `gather` (all of it together),
`pasts` (arrays to nouns).

Belongs here: PromQL, HTTP, and telling a hole from a zero.

Does not belong here: metric names (those are `engines`), a judgement on demand (that is `decide`), options of a
command (those are `cli`).
"""
