"""Small manifests for tests of rules, and what the linter says of them."""

from __future__ import annotations

import textwrap

from headrace.documents import parts
from headrace.engine import Engine
from headrace.lint.finding import Finding
from headrace.lint.fix import Fixed, fixed
from headrace.lint.known import Known
from headrace.lint.run import lint, rules
from headrace.registry import registered

ENGINES = list(registered("headrace.engines", "ENGINE", Engine).values())
RULES = rules()
NOTHING = Known()


def indented(text: str, by: int) -> str:
    """A block moved right; nothing for nothing."""
    return textwrap.indent(textwrap.dedent(text).strip("\n"), " " * by) + "\n" if text.strip() else ""


def deployment(
    spec: str = "",
    pod: str = "",
    container: str = "",
    args: str = "--model=/models/llama",
    image: str = "vllm/vllm-openai:v0.19.0",
    name: str = "llama",
    labels: str = "{app: llama}",
) -> str:
    """A Deployment of one model server; each part is given at indentation 0."""
    words = "".join(f"        - {word}\n" for word in args.split("|")) if args else ""
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\nspec:\n"
        + indented(spec, 2)
        + f"  selector:\n    matchLabels: {labels}\n  template:\n    metadata:\n      labels: {labels}\n    spec:\n"
        + indented(pod, 6)
        + f"      containers:\n      - name: server\n        image: {image}\n"
        + (f"        args:\n{words}" if words else "")
        + indented(container, 8)
    )


def shell(*command: str, image: str = "vllm/vllm-openai:v0.19.0", container: str = "") -> str:
    """A Deployment whose server is started by a command of its own, its last word a script."""
    words = "".join(f"        - {word}\n" for word in command[:-1])
    script = indented(command[-1], 10)
    return (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: llama}\nspec:\n"
        "  template:\n    spec:\n      containers:\n"
        f"      - name: server\n        image: {image}\n        command:\n{words}        - |\n{script}"
        + indented(container, 8)
    )


def found(text: str, known: Known = NOTHING) -> tuple[Finding, ...]:
    """All findings in a text."""
    return lint(parts(text, "x.yaml"), ENGINES, RULES, known).findings


def fires(rule: str, text: str, known: Known = NOTHING) -> list[Finding]:
    """The findings of one rule."""
    assert rule in RULES, rule
    everything = found(text, known)
    unread = [each for each in everything if each.rule in ("not-readable", "not-rendered")]
    assert not unread, f"the test's own YAML: {unread}"
    return [each for each in everything if each.rule == rule]


def mended(rule: str, text: str, known: Known = NOTHING) -> Fixed:
    """A text with the certain fixes of one rule made."""
    chosen = {rule: RULES[rule]}

    def judge(texts: object) -> tuple[Finding, ...]:
        assert isinstance(texts, dict)
        return tuple(
            each
            for source, now in texts.items()
            for each in lint(parts(now, source), ENGINES, chosen, known).findings
        )

    return fixed({"x.yaml": text}, judge)


def after(rule: str, text: str, known: Known = NOTHING) -> str:
    """The text that a fix leaves, checked to be free of the finding."""
    result = mended(rule, text, known)
    assert result.mended, "nothing was mended"
    assert not result.left
    assert not fires(rule, result.texts["x.yaml"], known)
    return result.texts["x.yaml"]


def added(before: str, now: str) -> list[str]:
    """Lines of a text that were not there before, without indentation."""
    left = before.split("\n")
    new: list[str] = []
    for line in now.split("\n"):
        if line in left:
            left.remove(line)
        else:
            new.append(line.strip())
    return new
