"""The still charts of a plan as figures: what follows, the drawing, how to read it, and the figures behind it."""

from __future__ import annotations

from headrace.report import plan_captions, plan_tables
from headrace.report.drawings import cut, growth, occupancy, startup
from headrace.report.figures import CutChart, GrowthChart, OccupancyChart, StartupChart
from headrace.report.plan_parts import Missing, ModelPart
from headrace.report.standalone import sentence, text


def grounds(model: ModelPart, key: str) -> str:
    """The four still charts on which a model's numbers rest, or what is missing to draw them; ids begin with `key`."""
    parts = (
        _occupancy(model.occupancy, f"{key}-occupancy"),
        _cut(model.cut, f"{key}-cut"),
        _startup(model.startup, f"{key}-startup"),
        _growth(model.growth, f"{key}-growth"),
    )
    return f'<h3>Where the numbers come from</h3><div class="grid grounds">\n{chr(10).join(parts)}\n</div>'


def _occupancy(chart: OccupancyChart | Missing, key: str) -> str:
    title = "Target: when a queue begins"
    if isinstance(chart, Missing):
        return missing(title, chart)
    follows = plan_captions.occupancy_follows(chart)
    drawn = occupancy.drawing(chart, key, follows)
    behind = plan_tables.plain(plan_captions.occupancy_table(chart), f"{key}-name")
    return _figure(title, key, drawn, plan_captions.occupancy_reads(), follows, behind)


def _cut(chart: CutChart | Missing, key: str) -> str:
    title = "Drain N: which streams are cut"
    if isinstance(chart, Missing):
        return missing(title, chart)
    follows = plan_captions.cut_follows(chart)
    drawn = cut.drawing(chart, key, follows)
    behind = plan_tables.plain(plan_captions.cut_table(chart), f"{key}-name")
    return _figure(title, key, drawn, plan_captions.cut_reads(chart), follows, behind)


def _startup(chart: StartupChart | Missing, key: str) -> str:
    title = "Start-up: where the time goes"
    if isinstance(chart, Missing):
        return missing(title, chart)
    drawn = startup.table(chart, f"{key}-name")
    return _figure(
        title, key, drawn, plan_captions.startup_reads(chart), plan_captions.startup_follows(chart)
    )


def _growth(chart: GrowthChart | Missing, key: str) -> str:
    title = "Headroom: how far demand rises meanwhile"
    if isinstance(chart, Missing):
        return missing(title, chart)
    follows = plan_captions.growth_follows(chart)
    drawn = growth.drawing(chart, key, follows)
    behind = plan_tables.plain(plan_captions.growth_table(chart, growth.SHOWN), f"{key}-name")
    return _figure(title, key, drawn, plan_captions.growth_reads(chart), follows, behind)


def _figure(title: str, key: str, drawn: str, how: str, follows: str, behind: str = "") -> str:
    return (
        f'<figure id="{key}"><h4 id="{key}-name">{text(title)}</h4>'
        f'<p class="follows" dir="auto">{sentence(follows)}</p>{drawn}'
        f"<figcaption>{reads(how)}</figcaption>{behind}</figure>"
    )


def missing(title: str, why: Missing) -> str:
    """What stands in place of a chart."""
    return (
        f'<figure class="missing"><h4>{text(title)}</h4>'
        f'<p dir="auto">Not drawn. {sentence(why.sentence)}</p></figure>'
    )


def reads(words: str) -> str:
    """The sentence on how to read a chart."""
    return f'<p class="reads"><b>How to read it.</b> {sentence(words)}</p>'
