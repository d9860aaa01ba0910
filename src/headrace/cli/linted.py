"""What `headrace lint` does: options read, files read, findings shown, fixes written."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from headrace.cli import texts
from headrace.cli.lint import FORMATS
from headrace.cli.manifest_files import Manifest, manifests
from headrace.documents import Document, Unread, parts
from headrace.engine import Engine
from headrace.errors import ConfigError, InputError
from headrace.lint.baseline import baseline_text, new_findings, read_baseline
from headrace.lint.finding import CONFIDENCES, SEVERITIES, Finding
from headrace.lint.ignore import UNUSED, is_named, kept
from headrace.lint.known import Known
from headrace.lint.rule import Rule
from headrace.lint.run import NOTICES, lint, rules
from headrace.registry import registered


class Wanted(NamedTuple):
    """The options, read."""

    form: str
    fix: bool
    write: bool
    rules: dict[str, Rule]
    severity: str
    confidence: str
    fail_on: str
    baseline: str | None
    write_baseline: str | None
    known: Known
    ignored: tuple[str, ...]
    whole: bool
    """All rules run, so that an unused ignore can be told."""


def wanted(**typed: Any) -> Wanted:
    """The options of a command.

    Raises:
        InputError: One can't be read.
    """
    found = rules()
    form = texts.named("--format", typed["form"], FORMATS)
    if typed["write"] and not typed["fix"]:
        raise InputError("--write", "goes with --fix")
    if typed["fix"] and form != "text":
        raise InputError("--fix", f"prints a patch, and --format {form} something else; ask for one of them")
    select, ignore = _names("--select", typed["select"], found), _names("--ignore", typed["ignore"], found)
    chosen = {
        name: rule
        for name, rule in found.items()
        if (not select or is_named(name, select)) and not is_named(name, ignore)
    }
    start_s = typed["start_up"] and texts.duration_s("--start-up", typed["start_up"], 1, 24 * 3600)
    count = typed["accelerators"] and texts.count("--accelerators", 0, 10_000_000)(typed["accelerators"])
    held = typed["tokens_per_request"]
    tokens = texts.positive("--tokens-per-request", 1, 10_000_000)(held) if held else None
    known = Known(
        start_s=start_s or None,
        accelerators=count if typed["accelerators"] else None,
        tokens_per_request=tokens,
        fleets=_fleets(typed["fleet"]),
    )
    return Wanted(
        form,
        typed["fix"],
        typed["write"],
        chosen,
        texts.named("--severity", typed["severity"], SEVERITIES),
        texts.named("--confidence", typed["confidence"], CONFIDENCES),
        texts.named("--fail-on", typed["fail_on"], (*SEVERITIES, "never")),
        typed["baseline"],
        typed["write_baseline"],
        known,
        ignore,
        not select and not ignore,
    )


def _names(option: str, given: Sequence[str], found: Mapping[str, Rule]) -> tuple[str, ...]:
    names = tuple(name.strip() for text in given for name in text.split(",") if name.strip())
    families = {name.partition("-")[0] for name in found}
    for name in names:
        if name not in found and name not in families and name not in NOTICES:
            texts.named(option, name, (*sorted(families), *found))
    return names


def _fleets(files: Sequence[str]) -> dict[str, Any]:
    if not files:
        return {}
    from headrace.config import load_fleets  # pydantic takes longer to import than a file to lint

    return {fleet.name: fleet for file in files for fleet in load_fleets(file)}


def print_rules() -> None:
    """All rules, a line each."""
    from headrace.lint.pages import listing

    print(listing(rules()), end="")


def explain_rule(name: str) -> None:
    """A rule's page.

    Raises:
        InputError: There is no such rule.
    """
    from headrace.lint.pages import page

    found = rules()
    print(page(name, found[texts.named("--explain", name, tuple(found))]), end="")


def lint_paths(paths: Sequence[str], asked: Wanted) -> bool:
    """Lints files, and shows what there is; whether something is at or above what fails.

    Raises:
        InputError: A path can't be read.
    """
    if not paths:
        raise InputError("PATH", "names no file or folder; - reads standard input")
    read = manifests(paths)
    collecting = gc.isenabled()
    gc.disable()  # trees hold no cycles, and looking for them takes a third of the time
    try:
        return _linted(read, asked)
    finally:
        if collecting:
            gc.enable()


def _linted(read: Sequence[Manifest], asked: Wanted) -> bool:
    linter = _Linter(asked, read)
    found = linter.findings({each.source: each.text for each in read})
    if asked.write_baseline:
        _write(Path(asked.write_baseline), baseline_text(found))
        print(f"{len(found)} findings written to {asked.write_baseline}")
        return False
    if asked.fix:
        return _fix(linter, read)
    shown = _shown(found, asked)
    _print(shown, read, asked)
    return asked.fail_on != "never" and any(_at_least(each.severity, asked.fail_on) for each in shown)


class _Linter:
    """Rules over texts, folder by folder."""

    def __init__(self, asked: Wanted, read: Sequence[Manifest]) -> None:
        self.asked = asked
        self.folders = {each.source: each.folder for each in read}
        self.engines = list(registered("headrace.engines", "ENGINE", Engine).values())

    def findings(self, texts_by_source: Mapping[str, str]) -> tuple[Finding, ...]:
        by_folder: dict[str, list[str]] = {}
        for source in texts_by_source:
            by_folder.setdefault(self.folders[source], []).append(source)
        found: list[Finding] = []
        for (
            sources
        ) in by_folder.values():  # one folder's trees at a time: thousands of manifests take little memory
            documents = [part for source in sources for part in _parts(texts_by_source[source], source)]
            found += lint(documents, self.engines, self.asked.rules, self.asked.known).findings
        left = [each for each in kept(found, texts_by_source) if not is_named(each.rule, self.asked.ignored)]
        if not self.asked.whole:
            left = [each for each in left if each.rule != UNUSED]
        order = {source: i for i, source in enumerate(texts_by_source)}
        return tuple(
            sorted(left, key=lambda each: (order[each.source], each.mark, each.rule, each.container))
        )


def _parts(text: str, source: str) -> tuple[Document | Unread, ...]:
    try:
        return parts(text, source)
    except ConfigError as error:
        return (Unread(source, error.line or 1, error.problem, False),)


def _shown(found: Sequence[Finding], asked: Wanted) -> list[Finding]:
    shown = [
        each
        for each in found
        if _at_least(each.severity, asked.severity)
        and CONFIDENCES.index(each.confidence) <= CONFIDENCES.index(asked.confidence)
    ]
    if asked.baseline:
        shown = list(new_findings(shown, read_baseline(_read(asked.baseline), asked.baseline)))
    return shown


def _at_least(severity: str, least: str) -> bool:
    return SEVERITIES.index(severity) <= SEVERITIES.index(least)


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"can't be read: {getattr(error, 'strerror', None) or 'not UTF-8'}") from error


def _print(shown: Sequence[Finding], read: Sequence[Manifest], asked: Wanted) -> None:
    if asked.form == "json":
        from headrace.lint.output.json import json

        sys.stdout.write(json(shown, len(read)))
    elif asked.form == "sarif":
        from importlib.metadata import PackageNotFoundError, version

        from headrace.lint.output.sarif import sarif

        try:
            number = version("headrace")
        except PackageNotFoundError:
            number = "0"
        sys.stdout.write(sarif(shown, asked.rules, number))
    elif asked.form == "github":
        from headrace.lint.output.github import github

        sys.stdout.write(github(shown))
    else:
        from headrace.lint.output.text import text

        colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        sys.stdout.write(text(shown, {each.source: each.text for each in read}, len(read), colours))


def _fix(linter: _Linter, read: Sequence[Manifest]) -> bool:
    """Prints a patch or writes the files; whether anything that was certain to mend could not be mended."""
    from headrace.lint.fix import fixed

    before = {each.source: each.text for each in read}
    done = fixed(before, linter.findings)
    changed = [each for each in read if done.texts[each.source] != each.text]
    if linter.asked.write:
        for each in changed:
            if each.path is None:
                raise InputError("--write", "standard input can't be written; leave it out for a patch")
        for each in changed:
            assert each.path is not None
            _write(each.path, each.mark + done.texts[each.source])
            count = sum(finding.source == each.source for finding in done.mended)
            print(f"{each.source}: {count} mended")
        if not changed:
            print("nothing to mend")
    else:
        from headrace.cli.patch import patch

        sys.stdout.write("".join(patch(each.source, each.text, done.texts[each.source]) for each in changed))
    for finding in done.left:
        print(
            f"{finding.source}:{finding.mark.line}: {finding.rule}: left to you, it can't be mended surely",
            file=sys.stderr,
        )
    return False


def _write(path: Path, text: str) -> None:
    """A file whole or not at all, its mode kept."""
    target = Path(os.path.realpath(path))
    fresh = target.with_name(f".{target.name}.headrace-{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
        if target.exists():
            fresh.chmod(target.stat().st_mode & 0o7777)
        fresh.replace(target)
    except OSError as error:
        raise InputError(str(path), f"can't be written: {(error.strerror or str(error)).lower()}") from error
    finally:
        fresh.unlink(missing_ok=True)
