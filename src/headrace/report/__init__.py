"""One self-contained HTML page with charts.

Belongs here: two pages, the one that compares policies (`chart`, `page`) and the one of a plan (`plan_parts`,
`plan_page`); what they share: one file that loads nothing (`standalone`), charts over time (`over_time`), how much a
page can carry (`thinning`, `payload`), words (`captions`); the plan's still charts (`figures`, `drawings`); and the one
effect, putting a page on disk (`write`). Style sheets and scripts stand in ``assets/`` beside the vendored uPlot.

Does not belong here: computing anything about policies. Whoever asks for a page brings finished numbers.
"""
