"""From weeks of one or many models to the numbers to run with, each with its reason, its data and a proof.

Belongs here: putting decisions and simulations together into a proposal (`propose`), trying it on days that the choice
has not seen (`holdout`), sharing a pool of accelerators among several models (`pooled`), what is expected of the next
hour and how well such forecasts did (`foresight`, `quality`), and the words for all of it.

Does not belong here: reading files, a clock or a network (`cli` brings the past, and writes what comes out), the
arithmetic of a single number (`decide`), replaying and searching (`simulate`).
"""
