"""Findings written out: for people as they look, for programs as formats want them, never a terminal's command."""

from __future__ import annotations

import json
import re

from tests.lint.manifests import RULES, deployment, found

from headrace.documents import Mark
from headrace.lint.finding import Finding
from headrace.lint.output.github import github
from headrace.lint.output.json import json as as_json
from headrace.lint.output.sarif import sarif
from headrace.lint.output.text import text

HOSTILE = "a\x1b]0;owned\x07\r\nb: 100%, c"


def finding(**changed: object) -> Finding:
    told: dict[str, object] = {
        "rule": "drain-grace-too-short",
        "severity": "error",
        "confidence": "high",
        "message": "too short",
        "source": "k8s/a.yaml",
        "mark": Mark(2, 9),
        "end": Mark(2, 11),
        "resource": "Deployment/llama",
        "help": "make it longer",
    }
    return Finding(**{**told, **changed})  # type: ignore[arg-type]


def test_for_people() -> None:
    shown = text(
        [finding(), finding(severity="info", mark=Mark(1, 1), end=Mark(1, 1), container="server")],
        {"k8s/a.yaml": "spec:\n  grace: 30\n"},
        1,
        False,
    )
    assert shown == (
        "k8s/a.yaml:2:9: error: too short [drain-grace-too-short]\n"
        "    2 |   grace: 30\n"
        "      |         ^^\n"
        "      = in Deployment/llama\n"
        "      = help: make it longer\n"
        "\n"
        "k8s/a.yaml:1:1: info: too short [drain-grace-too-short]\n"
        "    1 | spec:\n"
        "      | ^^^^\n"
        "      = in Deployment/llama, server\n"
        "      = help: make it longer\n"
        "\n"
        "1 error, 1 note in 1 file\n"
    )


def test_colours_only_where_they_are_asked_for() -> None:
    told = {"k8s/a.yaml": "spec:\n  grace: 30\n"}
    assert "\x1b" not in text([finding()], told, 1, False)
    assert re.sub(r"\x1b\[[0-9;]*m", "", text([finding()], told, 1, True)) == text(
        [finding()], told, 1, False
    )


def test_nothing_found_and_lines_that_are_not_there() -> None:
    assert text([], {}, 3, False) == "nothing found in 3 files\n"
    assert "too short" in text([finding(mark=Mark(99, 1), end=Mark(99, 1))], {"k8s/a.yaml": "a"}, 1, False)
    assert "too short" in text([finding(mark=Mark(1, 500), end=Mark(1, 500))], {"k8s/a.yaml": "a"}, 1, False)


def test_no_format_passes_a_terminal_command_on() -> None:
    one = finding(message=HOSTILE, source=HOSTILE, resource=HOSTILE, container=HOSTILE, help=HOSTILE)
    for shown in (text([one], {HOSTILE: f"a\n{HOSTILE}\n"}, 1, False), github([one])):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", shown)
    for shown in (as_json([one], 1), sarif([one], RULES, "1")):
        assert "\x1b" not in shown
        json.loads(shown)


def test_for_programs() -> None:
    told = json.loads(as_json([finding()], 1))
    assert told["version"] == 1
    assert told["findings"][0] == {
        "rule": "drain-grace-too-short",
        "severity": "error",
        "confidence": "high",
        "message": "too short",
        "help": "make it longer",
        "file": "k8s/a.yaml",
        "line": 2,
        "column": 9,
        "endLine": 2,
        "endColumn": 11,
        "resource": "Deployment/llama",
        "container": "-",
        "fixable": False,
    }


def test_annotations_escape_what_would_end_them() -> None:
    assert github([finding(source="a,b:c.yaml", message="50% of 2", help="")]) == (
        "::error file=a%2Cb%3Ac.yaml,line=2,col=9,title=drain-grace-too-short::50%25 of 2\n"
    )
    assert github([finding(severity="info")]).startswith("::notice ")


def test_sarif() -> None:
    log = json.loads(sarif(found(deployment()), RULES, "0.1"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "headrace"
    assert {rule["id"] for rule in driver["rules"]} == set(RULES)
    assert run["results"]
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        (location,) = result["locations"]
        region = location["physicalLocation"]["region"]
        assert region["startLine"] >= 1
        assert region["startColumn"] >= 1
        assert (region.get("endLine", region["startLine"]), region.get("endColumn", 10**6)) > (
            region["startLine"],
            region["startColumn"],
        )
        assert result["partialFingerprints"]["headrace/v1"]


def test_sarif_names_files_as_addresses() -> None:
    log = json.loads(sarif([finding(source="a b/ü.yaml")], {}, "0.1"))
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "a%20b/%C3%BC.yaml"
