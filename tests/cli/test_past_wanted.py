"""Where the past is, as typed: one source, files with their models, and nothing that is said in vain."""

from __future__ import annotations

import pytest

from headrace.cli.past_wanted import Named, PastWanted, past_wanted
from headrace.errors import InputError


def of(**typed: object) -> PastWanted:
    return past_wanted(typed, "headrace plan")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("demand.csv", ("", "demand.csv")),
        ("chat=demand.csv", ("chat", "demand.csv")),
        ("team/chat-7b_v1.2=s3://bucket/key=1.csv", ("team/chat-7b_v1.2", "s3://bucket/key=1.csv")),
        ("s3://bucket/a=b.csv", ("", "s3://bucket/a=b.csv")),
        ("data/year=2024/*.csv", ("data/year", "2024/*.csv")),
        ("./data/year=2024/*.csv", ("", "./data/year=2024/*.csv")),
        ("weird name=x.csv", ("", "weird name=x.csv")),
        ("-dash=x.csv", ("", "-dash=x.csv")),
        ("=x.csv", ("", "=x.csv")),
    ],
)
def test_a_file_may_have_a_name_in_front(text: str, named: tuple[str, str]) -> None:
    assert of(files=[text]).files == (Named(*named),)


def test_what_is_not_given_is_not_said() -> None:
    assert of(files=["a.csv"], durations=[], url=None, metrics=()) == PastWanted(files=(Named("", "a.csv"),))


def test_prometheus_is_read_as_said() -> None:
    found = of(
        url="http://x", since_s="2d12h", step_s="30s", metrics=["running=a:b", "latency=c"], headers=["A: b"]
    )
    assert (found.since_s, found.step_s) == (216_000.0, 30.0)
    assert found.metrics == (("running", "a:b"), ("latency", "c"))
    assert found.headers == ("A: b",)


def test_demand_and_access_logs_may_stand_together() -> None:
    both = of(files=["a=a.csv"], access_logs=["b=b.csv"])
    assert (both.files[0].name, both.access_logs[0].name) == ("a", "b")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (
            {},
            "headrace plan: needs demand histories (FILE), --access-log, --prometheus or --example llm-week",
        ),
        ({"files": ["a"], "example": "llm-week"}, "--example: can't stand beside FILE"),
        ({"files": ["a"], "url": "x"}, "--prometheus: can't stand beside FILE"),
        ({"access_logs": ["a"], "url": "x"}, "--prometheus: can't stand beside --access-log"),
        ({"example": "llm-week", "url": "x"}, "--prometheus: can't stand beside --example"),
        ({"example": "llm-weak"}, '--example: "llm-weak" is not one of llm-week; did you mean llm-week?'),
        ({"example": "llm-week", "durations": ["x"]}, "--durations: is about files"),
        (
            {"url": "x", "time_column": "t"},
            "--time-column: is about files, and the past comes from --prometheus",
        ),
        (
            {"files": ["a"], "token_file": "t"},
            "--token-file: is about Prometheus, and the past comes from FILE",
        ),
        ({"files": [""]}, 'FILE: "" names no file'),
        ({"files": ["a="]}, 'FILE: "a=" names no file'),
        ({"files": ["x=a", "x=b"]}, 'FILE: two histories are named "x"'),
        ({"access_logs": ["x="]}, "--access-log: "),
        (
            {"files": ["a"], "duration_unit": "h", "durations": ["d"]},
            '--duration-unit: "h" is not one of s, ms',
        ),
        (
            {"files": ["a"], "duration_column": "d"},
            "--duration-column: says nothing without --durations or --access-log",
        ),
        ({"files": ["a"], "start_column": "d"}, "--start-column: says nothing without --access-log"),
        ({"files": ["a"], "running_column": "r"}, "--running-column: says nothing without --occupancy"),
        ({"access_logs": ["a"], "value_column": "v"}, "--value-column: says nothing without FILE"),
        ({"url": "x", "metrics": ["foo=bar"]}, '--metric: "foo" is not one of running, waiting'),
        ({"url": "x", "metrics": ["running"]}, '--metric: "running" is not ROLE=NAME'),
        ({"url": "x", "metrics": ["running=a-b"]}, '--metric: "running=a-b" is not ROLE=NAME'),
        ({"url": "x", "since_s": "21"}, '--since: "21" has no unit'),
        ({"url": "x", "since_s": "5m"}, '--since: "5m" is below the smallest allowed value, 1h'),
        ({"url": "x", "step_s": "0s"}, '--step: "0s" is below the smallest allowed value, 1s'),
    ],
    ids=str,
)
def test_what_does_not_go_is_one_sentence(typed: dict[str, object], words: str) -> None:
    with pytest.raises(InputError) as caught:
        of(**typed)
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)
