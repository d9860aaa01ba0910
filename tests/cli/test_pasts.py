"""The past of models from files: names, which file belongs to which model, zones, moments, the built-in history."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from headrace.cli.past_wanted import Named, past_wanted
from headrace.cli.pasts import calendar, name_of, pasts
from headrace.errors import InputError
from headrace.past import Past
from headrace.series import Series

LOG = (
    "started,duration_s\n" + "\n".join(f"{1_700_000_000 + 7 * at},{5 + at % 3}" for at in range(2_000)) + "\n"
)
OCCUPANCY = (
    "ts,running,waiting\n"
    + "\n".join(f"{1_700_000_000 + 60 * at},{20 + at % 9},{at % 2}" for at in range(600))
    + "\n"
)


def read(**typed: object) -> tuple[Past, ...]:
    return pasts(past_wanted(typed, "headrace plan"), 300.0, seed=7, slots=None, hidden=True)


@pytest.fixture
def files(tmp_path: Path, history: Callable[..., Path]) -> Path:
    """A folder with two histories, durations, occupancy and an access log."""
    history(name="chat.csv")
    history(name="code.csv", head="ts,in_flight")
    (tmp_path / "took.csv").write_text("duration_s\n" + "\n".join(["1.5"] * 50 + ["9"] * 50) + "\n")
    (tmp_path / "seen.csv").write_text(OCCUPANCY)
    (tmp_path / "log.csv").write_text(LOG)
    return tmp_path


@pytest.mark.parametrize(
    ("named", "name"),
    [
        (("chat", "x.csv"), "chat"),
        (("", "/data/chat-7b.csv.gz"), "chat-7b"),
        (("", "s3://bucket/a/b.parquet"), "b"),
        (("", "C:\\data\\chat.csv"), "chat"),
        (("", "demand-*.csv"), "demand"),
        (("", "v1.2.jsonl"), "v1.2"),
        (("", "*.csv"), "model"),
    ],
)
def test_a_model_is_called_as_its_file(named: tuple[str, str], name: str) -> None:
    assert name_of(Named(*named)) == name


def test_files_belong_to_the_only_model(files: Path) -> None:
    (past,) = read(
        files=[f"{files}/chat.csv"], durations=[f"{files}/took.csv"], occupancies=[f"{files}/seen.csv"]
    )
    assert (past.name, past.demand.unit, len(past.demand)) == ("chat", "requests/s", 4 * 288)
    assert past.durations is not None
    assert past.durations.total_s == pytest.approx(525.0)
    assert past.occupancy is not None
    assert len(past.occupancy) == 600


def test_of_several_models_each_has_the_files_of_its_name(files: Path) -> None:
    both = [f"{files}/chat.csv", f"writer={files}/code.csv"]
    chat, writer = read(
        files=both, durations=[f"writer={files}/took.csv"], occupancies=[f"chat={files}/seen.csv"]
    )
    assert (chat.name, writer.name, writer.demand.unit) == ("chat", "writer", "slots")
    assert chat.durations is None
    assert writer.durations is not None
    assert chat.occupancy is not None
    assert writer.occupancy is None


def test_an_access_log_is_demand_and_durations(files: Path) -> None:
    chat, log = read(
        files=[f"{files}/chat.csv"], access_logs=[f"{files}/log.csv"], occupancies=[f"log={files}/seen.csv"]
    )
    assert (chat.name, log.name, log.demand.unit) == ("chat", "log", "slots")
    assert log.durations is not None
    assert log.durations.count == 2_000
    assert np.nanmean(log.demand.values[2:-2]) == pytest.approx(6.0 / 7.0, rel=0.02)  # Little's law
    assert log.occupancy is not None
    assert log.replicas is None, "the samples do not say how many"


def test_replicas_beside_an_access_log_are_those_of_the_samples(files: Path) -> None:
    rows = [f"{1_700_000_000 + 60 * at},{20 + at % 9},0,{2 + at // 100}" for at in range(300)]
    (files / "seen.csv").write_text("ts,running,waiting,replicas\n" + "\n".join(rows) + "\n")
    (log,) = read(access_logs=[f"{files}/log.csv"], occupancies=[f"{files}/seen.csv"])
    assert log.replicas is not None
    assert (log.replicas.start_s, log.replicas.step_s) == (log.demand.start_s, log.demand.step_s)
    known = log.replicas.values[~np.isnan(log.replicas.values)]
    assert (known[0], known[-1]) == (2.0, 4.0)
    assert log.lower_bound is None, "a log has what was offered, queue included"


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (
            {"durations": ["{}/took.csv"]},
            "--durations: which model it belongs to is not said; write NAME={}/took.csv",
        ),
        ({"durations": ["x={}/took.csv"]}, '--durations: no model is named "x"'),
        (
            {"occupancies": ["chat={}/seen.csv"] * 2},
            "--occupancy: chat has two files; a pattern reads several as one",
        ),
        ({"access_logs": ["chat={}/log.csv"]}, "--access-log: chat has a demand history already"),
    ],
    ids=str,
)
def test_a_file_without_its_model(files: Path, option: dict[str, list[str]], words: str) -> None:
    typed = {name: [text.format(files) for text in texts] for name, texts in option.items()}
    with pytest.raises(InputError) as caught:
        read(files=[f"{files}/chat.csv", f"{files}/code.csv"], **typed)
    assert str(caught.value).startswith(words.format(files))


def test_two_files_of_one_name(files: Path, history: Callable[..., Path]) -> None:
    (files / "other").mkdir()
    history(name="other/chat.csv")
    with pytest.raises(InputError, match="FILE: two histories would have one name"):
        read(files=[f"{files}/chat.csv", f"{files}/other/chat.csv"])


def test_two_access_logs_of_one_name(files: Path) -> None:
    with pytest.raises(InputError, match="--access-log: two histories would have one name"):
        read(access_logs=[f"{files}/log.csv", f"{files}/./log.csv"])


def test_the_built_in_history_has_durations_and_says_so() -> None:
    one, other = (
        pasts(past_wanted({"example": "llm-week"}, "x"), 300.0, seed=seed, slots=None, hidden=True)[0]
        for seed in (7, 8)
    )
    assert one.demand.span_s == 21 * 86_400.0
    assert one.durations is not None
    assert one.durations.count == 200_000
    assert one.notes == (
        "Generated: 21 days of LLM traffic and 200,000 durations, seed 7 (--seed draws others).",
    )
    assert not np.array_equal(one.demand.values, other.demand.values)


def test_days_are_those_of_the_option_then_of_the_file_then_utc() -> None:
    noon = np.array([1_704_110_400.0])  # Monday 1 January 2024, 12:00 UTC
    plain = Past("x", Series(0.0, 1.0, np.zeros(1)))
    there = Past("x", Series(0.0, 1.0, np.zeros(1)), zone="+02:00")
    assert calendar(plain, None)(noon, 24).tolist() == [12]
    assert calendar(there, None)(noon, 24).tolist() == [14]
    assert calendar(there, "Asia/Tokyo")(noon, 24).tolist() == [21]
    with pytest.raises(InputError, match="--time-zone: 'X/Y' is no time zone"):
        calendar(plain, "X/Y")


@pytest.mark.parametrize(
    "text", ["yesterday", "nan", "-5", "1e30", "2026-01-01", "2026-01-01T00:00:00", "0", "99999999999999"]
)
def test_until_is_a_moment(text: str) -> None:
    with pytest.raises(InputError, match=f'--until: "{text}" is not a moment'):
        read(url="http://127.0.0.1:1", until=text)


def test_a_past_that_begins_before_time_did() -> None:
    with pytest.raises(InputError, match="--since: reaches to before 1970"):
        read(url="http://127.0.0.1:1", until="1970-01-05T00:00:00Z")


def test_a_prometheus_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(Exception, match=r"http://127\.0\.0\.1:1: no connection"):
        read(url="http://127.0.0.1:1", since_s="2h")
