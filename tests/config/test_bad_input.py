# ruff: noqa: E501 - a sentence that is compared stands whole on its line
"""A wrong ModelFleet file gives one sentence: file, line, dotted path, value, what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.config import fleets, load_fleets
from headrace.errors import ConfigError

BASE = """\
apiVersion: headrace.dev/v1alpha1
kind: ModelFleet
metadata:
  name: llama
spec:
  capacity:
    slots: 256
  scale:
    max: 8
"""

CASES = [
    ('max: 8', 'max: 0', ', line 9: spec.scale.max: 0 is below the smallest allowed value, 1'),
    ('max: 8', 'max: -1', ', line 9: spec.scale.max: -1 is below the smallest allowed value, 1'),
    ('max: 8', 'max: 8.5', ', line 9: spec.scale.max: 8.5 is not a whole number; write 8 or 9'),
    ('max: 8', 'max: 8.0', ', line 9: spec.scale.max: 8.0 is not a whole number; write 8'),
    ('max: 8', 'max: "8"', ', line 9: spec.scale.max: "8" is text; write 8 without quotes'),
    ('max: 8', 'max: 010', ', line 9: spec.scale.max: "010" is not written in plain digits; write 10'),
    ('max: 8', 'max: 1e3', ', line 9: spec.scale.max: "1e3" is not written in plain digits; write 1000'),
    ('max: 8', 'max: 1_000', ', line 9: spec.scale.max: "1_000" is not written in plain digits; write 1000'),
    ('max: 8', 'max: no', ', line 9: spec.scale.max: "no" is not a whole number; write digits such as 8'),
    ('max: 8', 'max: ~', ', line 9: spec.scale.max: has no value; write a whole number from 1 to 10000'),
    ('max: 8', 'max: ', ', line 9: spec.scale.max: has no value; write a whole number from 1 to 10000'),
    ('max: 8', 'max: [1]', ', line 9: spec.scale.max: a list is not allowed here; write a whole number from 1 to 10000'),
    ('max: 8', 'max: {a: 1}', ', line 9: spec.scale.max: a mapping is not allowed here; write a whole number from 1 to 10000'),
    ('max: 8', 'max: 10001', ', line 9: spec.scale.max: 10001 is above the largest allowed value, 10000'),
    ('max: 8', 'max: 99999999999999999999999', ', line 9: spec.scale.max: "99999999999999999999999" has more than 18 digits'),
    ('max: 8', 'max: .nan', ', line 9: spec.scale.max: ".nan" is not a whole number; write digits such as 8'),
    ('max: 8', 'max: .inf', ', line 9: spec.scale.max: ".inf" is not a whole number; write digits such as 8'),
    ('max: 8', 'max: true', ', line 9: spec.scale.max: true is not a whole number; write digits such as 8'),
    ('max: 8', 'max: 3m', ', line 9: spec.scale.max: "3m" is not a whole number; write digits such as 8'),
    ('max: 8', 'max: !!int 8', ', line 9: spec.scale.max: the tag "!!int" is not allowed; write the value without it'),
    ('max: 8', 'max: *max', ', line 9: spec.scale.max: the alias "*max" has no anchor before it'),
    ('max: 8', 'max: 8\n    min: 9', ', line 9: spec.scale.max: 8 is below min, 9'),
    ('max: 8', 'max: 8\n    min: 0', ', line 10: spec.scale.min: 0 is below the smallest allowed value, 1: scale to zero is not built yet'),
    ('max: 8', 'max: 8\n    maxx: 3', ', line 10: spec.scale.maxx: is not a key here; did you mean "max"?'),
    ('max: 8', 'max: 8\n    maxReplicas: 3', ', line 10: spec.scale.maxReplicas: is not a key here; did you mean "max"?'),
    ('max: 8', 'max: 8\n    slots: 3', ', line 10: spec.scale.slots: is not a key here; it belongs under spec.capacity'),
    ('max: 8', 'max: 8\n    zzz: 1', ', line 10: spec.scale.zzz: is not a key here; allowed are min, max, target, headroom, surge, priority, downWindow, downInterval, drain'),
    ('max: 8', 'max: 8\n    down_window: 3m', ', line 10: spec.scale.down_window: is not a key here; did you mean "downWindow"?'),
    ('max: 8', 'max: 8\n    max: 9', ', line 10: spec.scale.max: the key is given twice in one mapping, first on line 9'),
    ('max: 8', 'max: 8\n    MAX: 9', ', line 10: spec.scale.MAX: is not a key here; did you mean "max"?'),
    ('max: 8', 'max: 8\n    ttft: 2s', ', line 10: spec.scale.ttft: is not a key here; allowed are min, max, target, headroom, surge, priority, downWindow, downInterval, drain'),
    ('    max: 8\n', '    mx: 8\n', ', line 9: spec.scale.mx: is not a key here; did you mean "max"?'),
    ('  scale:\n    max: 8\n', '', ', line 5: spec.scale: is missing; write a mapping with min, max, target, headroom, surge, priority, downWindow, downInterval, drain'),
    ('  scale:\n    max: 8\n', '  scale: 8\n', ', line 8: spec.scale: 8 is not a mapping with min, max, target, headroom, surge, priority, downWindow, downInterval, drain'),
    ('  scale:\n    max: 8\n', '  scale: {}\n', ', line 8: spec.scale.max: is missing; write a whole number from 1 to 10000'),
    ('  scale:\n    max: 8\n', '  scale:\n', ', line 8: spec.scale: has no value; write a mapping with min, max, target, headroom, surge, priority, downWindow, downInterval, drain'),
    ('    max: 8\n', '\tmax: 8\n', ", line 9: not valid YAML: a tab can't indent or separate here; use spaces"),
    ('max: 8', 'max : [8', ', line 9: not valid YAML: a "[" that is not closed, or a comma missing'),
    ('max: 8', 'max: 8: 9', ', line 9: not valid YAML: a second ":" on the line, or indentation that does not fit'),
    ('max: 8', 'max: 8\n    target: 75', ', line 10: spec.scale.target: 75 is above the largest allowed value, 100%; did you mean "75%"?'),
    ('max: 8', 'max: 8\n    target: 0.01', ', line 10: spec.scale.target: 0.01 is below the smallest allowed value, 5%'),
    ('max: 8', 'max: 8\n    target: 150%', ', line 10: spec.scale.target: "150%" is above the largest allowed value, 100%'),
    ('max: 8', 'max: 8\n    target: "0.75"', ', line 10: spec.scale.target: "0.75" is text; write 0.75 without quotes'),
    ('max: 8', 'max: 8\n    target: 75 %', ', line 10: spec.scale.target: "75 %" is not a share; did you mean "75%"?'),
    ('max: 8', 'max: 8\n    target: -5%', ', line 10: spec.scale.target: "-5%" is negative; write a share such as 75% or 0.75'),
    ('max: 8', 'max: 8\n    target: .5', ', line 10: spec.scale.target: ".5" is not written in plain digits; write 0.5'),
    ('max: 8', 'max: 8\n    target: 1.5', ', line 10: spec.scale.target: 1.5 is above the largest allowed value, 100%'),
    ('max: 8', 'max: 8\n    headroom: 90%', ', line 10: spec.scale.headroom: "90%" is not a number; write digits such as 0.5'),
    ('max: 8', 'max: 8\n    headroom: 9', ', line 10: spec.scale.headroom: 9 is above the largest allowed value, 8'),
    ('max: 8', 'max: 8\n    headroom: -0.3', ', line 10: spec.scale.headroom: -0.3 is below the smallest allowed value, -0.2'),
    ('max: 8', 'max: 8\n    headroom: .nan', ', line 10: spec.scale.headroom: ".nan" is not a number; write digits such as 0.5'),
    ('max: 8', "max: 8\n    headroom: '1'", ', line 10: spec.scale.headroom: "1" is text; write 1 without quotes'),
    ('max: 8', 'max: 8\n    headroom: 1e-1', ', line 10: spec.scale.headroom: "1e-1" is not written in plain digits; write 0.1'),
    ('max: 8', 'max: 8\n    surge: 35%', ', line 10: spec.scale.surge: "35%" is not a mapping with rise, within'),
    ('max: 8', 'max: 8\n    surge: ', ', line 10: spec.scale.surge: has no value; write a mapping with rise, within'),
    ('max: 8', 'max: 8\n    surge: {rise: 35%}', ', line 10: spec.scale.surge.within: is missing; write a duration from 1s to 6h'),
    ('max: 8', 'max: 8\n    surge: {rise: 35%, within: 300}', ', line 10: spec.scale.surge.within: 300 has no unit: write "300s"'),
    ('max: 8', 'max: 8\n    surge: {rise: 35, within: 5m}', ', line 10: spec.scale.surge.rise: 35 is above the largest allowed value, 1000%; did you mean "35%"?'),
    ('max: 8', 'max: 8\n    surge: {rise: 35%, within: 5 min}', ', line 10: spec.scale.surge.within: "5 min" is not a duration; did you mean "5m"?'),
    ('max: 8', 'max: 8\n    surge: {rise: 35%, within: 5m, at: 15}', ', line 10: spec.scale.surge.at: is not a key here; allowed are rise, within'),
    ('max: 8', 'max: 8\n    downWindow: 300', ', line 10: spec.scale.downWindow: 300 has no unit: write "300s"'),
    ('max: 8', 'max: 8\n    downWindow: 5 min', ', line 10: spec.scale.downWindow: "5 min" is not a duration; did you mean "5m"?'),
    ('max: 8', 'max: 8\n    downWindow: 3:00', ', line 10: spec.scale.downWindow: "3:00" could be minutes or hours; write "3m" or "3h"'),
    ('max: 8', 'max: 8\n    downWindow: -5m', ', line 10: spec.scale.downWindow: "-5m" is negative; a duration is 0s or more'),
    ('max: 8', 'max: 8\n    downWindow: 7h', ', line 10: spec.scale.downWindow: "7h" is above the largest allowed value, 6h'),
    ('max: 8', 'max: 8\n    downWindow: true', ', line 10: spec.scale.downWindow: true is not a duration; write one such as "90s", "3m" or "1h30m"'),
    ('max: 8', 'max: 8\n    downWindow: 0.5d', ', line 10: spec.scale.downWindow: "0.5d" is not a duration; did you mean "12h"?'),
    ('max: 8', 'max: 8\n    downWindow: 1h60', ', line 10: spec.scale.downWindow: "1h60" is not a duration; write one such as "90s", "3m" or "1h30m"'),
    ('max: 8', 'max: 8\n    priority: high', ', line 10: spec.scale.priority: "high" is not a whole number; write digits such as 8'),
    ('max: 8', 'max: 8\n    priority: 1001', ', line 10: spec.scale.priority: 1001 is above the largest allowed value, 1000'),
    ('max: 8', 'max: 8\n    priority: 0.5', ', line 10: spec.scale.priority: 0.5 is not a whole number; write 0 or 1'),
    ('max: 8', 'max: 8\n    downInterval: 120', ', line 10: spec.scale.downInterval: 120 has no unit: write "120s"'),
    ('max: 8', 'max: 8\n  start: 180', ', line 10: spec.start: 180 has no unit: write "180s"'),
    ('max: 8', 'max: 8\n  start: 3 min', ', line 10: spec.start: "3 min" is not a duration; did you mean "3m"?'),
    ('max: 8', 'max: 8\n  start: []', ', line 10: spec.start: an empty list; write at least one phase'),
    ('max: 8', 'max: 8\n  start: {median: 3m}', ', line 10: spec.start: a mapping is not allowed here; write a duration from 100ms to 24h'),
    ('max: 8', 'max: 8\n  start: [{name: a, median: 3m}, {name: a, median: 1m}]', ', line 10: spec.start[1].name: "a" is already the name of another phase'),
    ('max: 8', 'max: 8\n  start: [{name: a, median: 3m, p90: 2m}]', ', line 10: spec.start[0].p90: 2m is below the median, 3m'),
    ('max: 8', 'max: 8\n  start: [{median: 3m}]', ', line 10: spec.start[0].name: is missing; write a phase name of letters, digits, spaces and ,._/+- inside, at most 63'),
    ('max: 8', 'max: 8\n  start: [3m]', ', line 10: spec.start[0]: "3m" is not a mapping with name, median, p90'),
    ('max: 8', 'max: 8\n  start: [{name: 3, median: 3m}]', ', line 10: spec.start[0].name: 3 without quotes is not text to every reader of YAML; write it in quotes'),
    ('max: 8', 'max: 8\n  start: [{name: a, median: 0s}]', ', line 10: spec.start: the medians add up to less than 100ms'),
    ('max: 8', 'max: 8\n  start: 0s', ', line 10: spec.start: "0s" is below the smallest allowed value, 100ms'),
    ('max: 8', 'max: 8\n  start: [{name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {name: a, median: 1s}, {}]', ', line 10: spec.start: 33 phases are more than the most, 32'),
    ('max: 8', 'max: 8\n  start: 25h', ', line 10: spec.start: "25h" is above the largest allowed value, 24h'),
    ('max: 8', 'max: 8\n  start: [{name: a, p95: 3m, median: 1m}]', ', line 10: spec.start[0].p95: is not a key here; allowed are name, median, p90'),
    ('max: 8', "max: 8\n  start: [{name: ' x', median: 3m}]", ', line 10: spec.start[0].name: " x" is not a phase name; write a phase name of letters, digits, spaces and ,._/+- inside, at most 63'),
    ('max: 8', 'max: 8\n  start: [{name: a, median: 3m}, {name: b, median: 180}]', ', line 10: spec.start[1].median: 180 has no unit: write "180s"'),
    ('name: llama', 'name: Llama 70B', ', line 4: metadata.name: "Llama 70B" is not a name of lower-case letters, digits and "-", at most 63; did you mean "llama-70b"?'),
    ('name: llama', 'name: 123', ', line 4: metadata.name: 123 without quotes is not text to every reader of YAML; write it in quotes'),
    ('name: llama', 'name: no', ', line 4: metadata.name: no without quotes is not text to every reader of YAML; write it in quotes'),
    ('name: llama', 'name: -a', ', line 4: metadata.name: "-a" is not a name of lower-case letters, digits and "-", at most 63; did you mean "a"?'),
    ('name: llama', 'name: llama_70b', ', line 4: metadata.name: "llama_70b" is not a name of lower-case letters, digits and "-", at most 63; did you mean "llama-70b"?'),
    ('name: llama', 'name: ~', ', line 4: metadata.name: has no value; write a name of lower-case letters, digits and "-", at most 63'),
    ('name: llama', 'name: 2024-01-01', ', line 4: metadata.name: 2024-01-01 without quotes is not text to every reader of YAML; write it in quotes'),
    ('name: llama', 'name: 1e3', ', line 4: metadata.name: 1e3 without quotes is not text to every reader of YAML; write it in quotes'),
    ('name: llama', 'name: é', ', line 4: metadata.name: "é" is not a name; write a name of lower-case letters, digits and "-", at most 63'),
    ('name: llama', 'name: [a]', ', line 4: metadata.name: a list is not allowed here; write a name of lower-case letters, digits and "-", at most 63'),
    ('headrace.dev/v1alpha1', 'headrace.dev/v1', ', line 1: apiVersion: "headrace.dev/v1" is not known here; write headrace.dev/v1alpha1'),
    ('kind: ModelFleet', 'kind: Modelfleet', ', line 2: kind: "Modelfleet" is not known here; write ModelFleet'),
    ('kind: ModelFleet', 'kind: Deployment', ', line 2: kind: "Deployment" is not known here; write ModelFleet'),
    ('kind: ModelFleet\n', '', ', line 1: kind: is missing; write ModelFleet'),
    ('slots: 256', 'slots: 256\n    dataParallel: 4\n    accelerators: 2', ', line 9: spec.capacity.accelerators: 2 is below dataParallel, 4; each engine holds at least one'),
    ('slots: 256', 'requestsPerSecond: 7.5', ', line 6: spec.capacity.slots: is missing; write a whole number from 1 to 65536'),
    ('slots: 256', 'slots: 256\n    requestsPerSecond: 7.5 req/s', ', line 8: spec.capacity.requestsPerSecond: "7.5 req/s" is not a rate; did you mean "7.5/s"?'),
    ('slots: 256', 'slots: 256\n    requestsPerSecond: 0', ', line 8: spec.capacity.requestsPerSecond: 0 is below the smallest allowed value, 0.001/s'),
    ('slots: 256', 'slots: 256\n    kvTokens: 1.2e6', ', line 8: spec.capacity.kvTokens: "1.2e6" is not written in plain digits; write 1200000'),
    ('slots: 256', 'slots: 256\n    kvTokens: 1,200,000', ', line 8: spec.capacity.kvTokens: "1,200,000" is not written in plain digits; write 1200000'),
    ('name: llama', 'name: llama\n  labels: {a: b}', ', line 5: metadata.labels: is not a key here; it belongs under spec.server'),
    ('max: 8', 'max: 8\n  slo: {ttft: 2s}', ', line 10: spec.slo.ttft: is not a key here; allowed are over'),
    ('max: 8', 'max: 8\n  slo: {over: 60%}', ', line 10: spec.slo.over: "60%" is above the largest allowed value, 50%'),
    ('max: 8', 'max: 8\n  slo:', ', line 10: spec.slo: has no value; write a mapping with over'),
    ('max: 8', 'max: 8\n  slo: 3', ', line 10: spec.slo: 3 is not a mapping with over'),
    ('max: 8', 'max: 8\n  engine: vlm', ', line 10: spec.engine: "vlm" is not known here; did you mean "vllm"?'),
    ('max: 8', 'max: 8\n  engine: tgi', ', line 10: spec.engine: "tgi" is not known here; write vllm or sglang'),
    ('max: 8', 'max: 8\n  max: 3', ', line 10: spec.max: is not a key here; it belongs under spec.scale'),
    ('max: 8', 'max: 8\nstatus: {}', ', line 10: status: is not a key here; allowed are apiVersion, kind, metadata, spec'),
    ('max: 8', "max: 8\n  '': 3", ', line 10: spec."": is not a key here; allowed are engine, slo, capacity, scale, start, server, autoscaler, drain, rollout, alerts'),
    ('max: 8', 'max: 8\n  "a.b c": 1', ', line 10: spec."a.b c": is not a key here; allowed are engine, slo, capacity, scale, start, server, autoscaler, drain, rollout, alerts'),
    ('max: 8', 'max: 8\n  ? [a]\n  : b', ', line 10: spec: a key must be plain text, not a list or a mapping'),
    ('  capacity:\n    slots: 256\n', '  capacity: 256\n', ', line 6: spec.capacity: 256 is not a mapping with slots, dataParallel, accelerators, kvTokens, requestsPerSecond'),
    ('  capacity:\n    slots: 256\n', '  capacity: []\n', ', line 6: spec.capacity: a list is not a mapping with slots, dataParallel, accelerators, kvTokens, requestsPerSecond'),
    ('max: 8', f"max: 8\n---\n{BASE}", ', line 14: metadata.name: "llama" is already the name of the fleet on line 4'),
    ('max: 8', 'max: 8\n---\nkind: Service', ', line 11: kind: "Service" is not known here; write ModelFleet (and 3 more)'),
    (BASE, '', ': holds no ModelFleet; it is empty or has only comments'),
    (BASE, '# nothing\n', ': holds no ModelFleet; it is empty or has only comments'),
    (BASE, '---\n---\n', ': holds no ModelFleet; it is empty or has only comments'),
    (BASE, '- a\n', ', line 1: a list is not a ModelFleet; write a mapping with apiVersion, kind, metadata, spec'),
    (BASE, 'hello\n', ', line 1: "hello" is not a ModelFleet; write a mapping with apiVersion, kind, metadata, spec'),
    (BASE, '8\n', ', line 1: 8 is not a ModelFleet; write a mapping with apiVersion, kind, metadata, spec'),
    (BASE, 'spec: {}\n', ', line 1: apiVersion: is missing; write headrace.dev/v1alpha1 (and 4 more)'),
    (BASE, 'spec: {scale: {max: 0, min: no}, capacity: {slot: 3}}\n', ', line 1: spec.capacity.slot: is not a key here; did you mean "slots"? (and 5 more)'),]  # fmt: skip
"""What is replaced in BASE, by what, and the message behind the name of the file."""


def test_the_base_is_right() -> None:
    (fleet,) = fleets(BASE, "f.yaml")
    assert (fleet.name, fleet.capacity.slots, fleet.scale.max_replicas) == ("llama", 256, 8)


@pytest.mark.parametrize(("old", "new", "message"), CASES)
def test_one_sentence(old: str, new: str, message: str) -> None:
    assert BASE.count(old) == 1
    with pytest.raises(ConfigError) as error:
        fleets(BASE.replace(old, new), "f.yaml")
    assert str(error.value) == "f.yaml" + message


def test_the_parts_of_an_error() -> None:
    with pytest.raises(ConfigError) as caught:
        fleets(BASE.replace("max: 8", "max: 0"), "f.yaml")
    error = caught.value
    assert (error.source, error.line, error.path, error.exit_code) == ("f.yaml", 9, "spec.scale.max", 2)
    assert error.place == "line 9"


def test_lines_are_the_files_even_behind_merges_and_aliases() -> None:
    text = BASE.replace("scale:\n    max: 8", "scale:\n    <<: &limits {max: 8, min: 3 s}")
    with pytest.raises(ConfigError, match=r"^f.yaml, line 9: spec.scale.min: \"3 s\" is not a whole number"):
        fleets(text, "f.yaml")


def test_the_first_of_several_is_told_by_line() -> None:
    text = BASE.replace("slots: 256", "slots: 0").replace("max: 8", "maxx: 8")
    with pytest.raises(ConfigError) as error:
        fleets(text, "f.yaml")
    assert str(error.value) == (
        "f.yaml, line 7: spec.capacity.slots: 0 is below the smallest allowed value, 1 (and 1 more)"
    )


def test_a_file(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(BASE.replace("max: 8", "max: 8m"))
    with pytest.raises(ConfigError) as error:
        load_fleets(file)
    assert str(error.value) == (
        f'{file}, line 9: spec.scale.max: "8m" is not a whole number; write digits such as 8'
    )
    with pytest.raises(ConfigError, match="can't be read: No such file or directory"):
        load_fleets(tmp_path / "absent.yaml")


SERVED = """\
apiVersion: headrace.dev/v1alpha1
kind: ModelFleet
metadata:
  name: llama
spec:
  capacity: {slots: 256, accelerators: 8}
  scale: {max: 8}
  server:
    image: vllm/vllm-openai:v0.18.0
    model: llama
    cache: {claim: weights}
    args: [--seed=1]
"""

SERVED_CASES = [
    (
        "v0.18.0",
        "latest",
        ', line 9: spec.server.image: "vllm/vllm-openai:latest": the tag "latest" floats; write a release\'s tag or a digest',
    ),
    (
        ":v0.18.0",
        "",
        ', line 9: spec.server.image: "vllm/vllm-openai": there is no tag; write a release\'s tag or a digest',
    ),
    (
        "model: llama",
        "model: 8",
        ", line 10: spec.server.model: 8 without quotes is not text to every reader of YAML; write it in quotes",
    ),
    (
        "model: llama",
        "model: llama\n    release: 0.17.0",
        ', line 11: spec.server.release: "0.17.0" is not the release of the image, whose tag says 0.18.0; leave it out, or give the image\'s digest',
    ),
    (
        "model: llama",
        "model: llama\n    release: new",
        ', line 11: spec.server.release: "new" is not a release; write one such as 0.18.0',
    ),
    (
        "    model: llama\n",
        "",
        ", line 8: spec.server.model: is missing; write a model such as meta-llama/Llama-3.3-70B-Instruct",
    ),
    (
        "{claim: weights}",
        "{}",
        ", line 11: spec.server.cache: neither is given; write claim (a PersistentVolumeClaim) or hostPath (a folder of the node)",
    ),
    (
        "{claim: weights}",
        "{claim: a, hostPath: /a}",
        ", line 11: spec.server.cache: both are given; write claim (a PersistentVolumeClaim) or hostPath (a folder of the node)",
    ),
    (
        "{claim: weights}",
        "{pvc: weights}",
        ", line 11: spec.server.cache.pvc: is not a key here; allowed are claim, hostPath",
    ),
    (
        "[--seed=1]",
        "[--seed=1, --max-num-seqs=8]",
        ", line 12: spec.server.args[1]: render writes --max-num-seqs itself, from spec.capacity.slots; leave it out here",
    ),
    (
        "[--seed=1]",
        '[--shutdown-timeout, "60"]',
        ", line 12: spec.server.args[0]: render writes --shutdown-timeout itself, from spec.scale.drain; leave it out here",
    ),
    (
        "[--seed=1]",
        "[--max-model-len, 32768]",
        ", line 12: spec.server.args[1]: 32768 without quotes is not text to every reader of YAML; write it in quotes",
    ),
    (
        "[--seed=1]",
        "[[a]]",
        ", line 12: spec.server.args[0]: a list is not allowed here; write an argument such as --enable-prefix-caching",
    ),
    (
        "[--seed=1]",
        "--seed=1",
        ', line 12: spec.server.args: "--seed=1" is not a list; write a list, each an argument such as --enable-prefix-caching',
    ),
    (
        "[--seed=1]",
        "",
        ", line 12: spec.server.args: has no value; write a list, each an argument such as --enable-prefix-caching",
    ),
    (
        "[--seed=1]",
        "[]\n    labels: {a: 8}",
        ", line 13: spec.server.labels.a: 8 without quotes is not text to every reader of YAML; write it in quotes",
    ),
    (
        "[--seed=1]",
        "[]\n    labels: {-a: b}",
        ', line 13: spec.server.labels.-a: "-a" is not a label\'s name; write one such as team',
    ),
    (
        "[--seed=1]",
        "[]\n    labels: [a]",
        ", line 13: spec.server.labels: a list is not a mapping; write a mapping, each key a label's name such as team, each value a label's value such as search",
    ),
    (
        "name: llama",
        "name: 7b-chat",
        ', line 4: metadata.name: "7b-chat" begins with a digit, and a Service must begin with a letter; did you mean "model-7b-chat"?',
    ),
    (
        "{claim: weights}",
        "{hostPath: /var/../cache}",
        ', line 11: spec.server.cache.hostPath: "/var/../cache" is not a folder of the node; write one such as /var/cache/headrace',
    ),
    (
        "[--seed=1]",
        "[]\n    labels: {a..b/c: x}",
        ', line 13: spec.server.labels."a..b/c": "a..b/c" is not a label\'s name; write one such as team',
    ),
    (
        "[--seed=1]",
        "[]\n    accelerator: requests.nvidia.com/gpu",
        ', line 13: spec.server.accelerator: "requests.nvidia.com/gpu" is not a resource of a node; write one such as nvidia.com/gpu',
    ),
    (
        "[--seed=1]",
        "[]\n    accelerator: kubernetes.io/gpu",
        ', line 13: spec.server.accelerator: "kubernetes.io/gpu" is not a resource of a node; write one such as nvidia.com/gpu',
    ),
    (
        "[--seed=1]",
        "[]\n    memory: 64",
        ', line 13: spec.server.memory: 64 is not a size; write one such as "141GB" or "48GiB"',
    ),
    (
        "[--seed=1]",
        "[]\n    tensorParallel: 4",
        ", line 13: spec.server.tensorParallel: 4 × pipelineParallel 1 × dataParallel 1 is 4, not spec.capacity.accelerators, 8",
    ),
    (
        "[--seed=1]",
        "[]\n    pipelineParallel: 3",
        ", line 6: spec.capacity.accelerators: 8 accelerators can't be split into dataParallel 1 × pipelineParallel 3; give a multiple of 3",
    ),
    (
        "[--seed=1]",
        "[]\n  autoscaler: {kind: vpa}",
        ', line 13: spec.autoscaler.kind: "vpa" is not known here; did you mean "hpa"?',
    ),
    (
        "[--seed=1]",
        "[]\n  autoscaler: {target: 95%}",
        ', line 13: spec.autoscaler.target: "95%" is above the largest allowed value, 90%',
    ),
    (
        "[--seed=1]",
        "[]\n  autoscaler: {prometheus: p:9090}",
        ', line 13: spec.autoscaler.prometheus: "p:9090" is not an address; write one such as http://prometheus.monitoring:9090',
    ),
    (
        "[--seed=1]",
        "[]\n  alerts: {series: job=llama}",
        ', line 13: spec.alerts.series: "job=llama" is not label matchers; write one such as \'job="llama-70b"\'',
    ),
    (
        "[--seed=1]",
        "[]\n  rollout: {deadline: 10}",
        ', line 13: spec.rollout.deadline: 10 has no unit: write "10s"',
    ),
    ("[--seed=1]", "[]\n  drain: 5m", ', line 13: spec.drain: "5m" is not a mapping with mode, nodeWait'),
]


def test_the_served_base_is_right() -> None:
    (fleet,) = fleets(SERVED, "f.yaml")
    assert fleet.server is not None
    assert fleet.server.args == ("--seed=1",)


@pytest.mark.parametrize(("old", "new", "message"), SERVED_CASES)
def test_one_sentence_about_what_is_served(old: str, new: str, message: str) -> None:
    assert SERVED.count(old) == 1
    with pytest.raises(ConfigError) as error:
        fleets(SERVED.replace(old, new), "f.yaml")
    assert str(error.value) == "f.yaml" + message
