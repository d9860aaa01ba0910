"""One self-contained HTML page with charts.

Belongs here: what a page shows (`chart`), how much of it a page can carry (`thinning`, `payload`), its
words (`captions`), its HTML (`page`) and the one effect, putting it on disk (`write`). Style sheet and script
stand in ``assets/`` beside the vendored uPlot.

Does not belong here: computing anything about policies. Whoever asks for a page brings the finished numbers.
"""
