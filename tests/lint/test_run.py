"""The whole linter on anything: order and notices, hostile files, mutated manifests; nothing raises, nothing hangs."""

from __future__ import annotations

import random
import time
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.lint.manifests import deployment, found

from headrace.documents import Unread, parts
from headrace.errors import ConfigError

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(8)
)


def test_findings_are_in_the_order_of_the_lines() -> None:
    everything = found(deployment("strategy: {type: Recreate}") + "---\n" + deployment(name="b"))
    assert [each.mark for each in everything] == sorted(each.mark for each in everything)
    assert len({each.resource for each in everything}) == 2


def test_a_bomb_of_aliases_is_refused_and_its_neighbours_are_linted() -> None:
    everything = found(f"{BOMB}---\n{deployment()}")
    assert everything[0].rule == "not-readable"
    assert "aliases expand" in everything[0].message
    assert "drain-no-prestop" in {each.rule for each in everything}


def test_templates_are_told_from_texts_that_only_look_like_them() -> None:
    rule = (
        "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: a}\nspec:\n"
        "  groups:\n  - name: a\n    rules:\n    - alert: A\n      expr: up == 0\n"
        "      annotations:\n        summary: '{{ $labels.pod }} is down'\n"
    )
    assert not [each for each in found(rule) if each.rule == "not-rendered"]
    assert [each.rule for each in found("a: {{ .Values.b }}\n")] == ["not-rendered"]
    assert [each.rule for each in found("{{- if .x }}\na: 1\n{{- end }}\n")] == ["not-rendered"]
    assert not found("# {{ a comment }}\na: 1\n")


def test_a_template_names_its_line() -> None:
    (one,) = [part for part in parts("a: 1\n---\n# c\nb: 2\nc: {{ x }}\n", "f") if isinstance(part, Unread)]
    assert one.line == 5


@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
@example(b"\xff\xfea\x00")
@example(b"- - - - - - - -" * 40)
@example(b"{" * 300)
@example(b"---\n---\n...\n%YAML 1.2\n---\n")
@example(b"a: !!python/object:os.system x\n")
def test_any_bytes_are_read_or_refused_in_words(content: bytes) -> None:
    try:
        parts(content, "x")
    except ConfigError as error:
        if error.source != "x":
            raise


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**9))
def test_a_manifest_with_characters_changed_never_raises(seed: int) -> None:
    draw = random.Random(seed)
    text = list(deployment("replicas: 1", "hostIPC: true", "env: [{name: A, value: b}]"))
    for _ in range(draw.randint(1, 8)):
        text[draw.randrange(len(text))] = draw.choice("\n :-[]{}'\"|>&*!%@`#?,~\t0aé\u2028")
    found("".join(text))


def test_public_manifests_with_lines_changed_never_raise(shared_data: Path) -> None:
    draw = random.Random(11)
    for path in sorted((shared_data / "manifests").glob("*.yaml")):
        lines = path.read_text(encoding="utf-8").split("\n")
        for _ in range(4):
            changed = list(lines)
            for _ in range(3):
                at = draw.randrange(len(changed))
                other = draw.choice(lines)
                changed[at : at + draw.randint(0, 2)] = draw.choice(
                    ([], [other], ["{{ x }}"], [f"  {other}"], ["- "])
                )
            found("\n".join(changed))


def test_long_words_take_no_long_time() -> None:
    """Four times the length takes about four times the time; patterns that look back would take sixteen."""
    for piece in ("a", "$(", "curl ", "kill -", "vllm:num_requests_running{", "while "):
        short, long = (_cpu_s(piece * (length // len(piece))) for length in (20_000, 80_000))
        assert long < 9.0 * max(short, 0.05), piece


def _cpu_s(piece: str) -> float:
    rule = f"kind: PrometheusRule\nmetadata: {{name: a}}\nspec: {{a: '{piece}'}}\n---\n"
    hook = f"lifecycle: {{preStop: {{exec: {{command: [sh, -c, '{piece}']}}}}}}"
    began = time.process_time()
    found(rule + deployment(container=hook, args=f"--model={piece}"))
    return time.process_time() - began
