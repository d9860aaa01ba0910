"""Still charts as SVG: drawn once, in Python, so that they need no script and print as they are.

Belongs here: from the frozen numbers of one chart to its SVG (`occupancy`, `cut`, `startup`, `growth`), and what they
share (`plane`). Sizes are in per cent across and in pixels down, so that a drawing fits its card without its letters
growing or shrinking. Colours come from the style sheet.

Does not belong here: the sentences beside a chart (`plan_captions`), and computing anything that is shown in a table.
"""
