"""What `headrace render` makes: options read strictly, fleets found, text printed or files written."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from headrace.cli import texts
from headrace.cli.writing import write_file
from headrace.config import load_fleets
from headrace.documents import data, dotted, load_documents, mark_at
from headrace.errors import ConfigError, InputError
from headrace.render import FORMS, PARTS, Asked, files, missing, objects, stream
from headrace.spec import ModelFleet
from headrace.units import shown

OLDEST = (1, 27)
"""First release that knows every field that is written (a budget's unhealthyPodEvictionPolicy)."""


def wanted(
    *, form: str, only: str | None, patch: bool, out_dir: str | None, force: bool, kubernetes: str
) -> Asked:
    """The options, read.

    Raises:
        InputError: One is wrong, or two contradict each other.
    """
    texts.named("--form", form, FORMS)
    parts = (
        tuple(texts.named("--only", part.strip(), PARTS) for part in only.split(","))
        if only is not None
        else ()
    )
    asked = Asked(_release(kubernetes), form, parts, patch)
    if patch and form == "helm":
        raise InputError("--patch", "values have no Deployment to patch; leave out --patch or --form helm")
    if patch and not asked.wants("deployment"):
        raise InputError("--patch", "is of the Deployment, which --only leaves out")
    if form == "kustomize" and out_dir is None:
        raise InputError("--form kustomize", "is several files; give --out-dir")
    if out_dir == "":
        raise InputError("--out-dir", "names no directory; write one, such as manifests")
    if force and out_dir is None:
        raise InputError("--force", "overwrites files in a directory; give --out-dir")
    return asked


def print_stream(place: str, asked: Asked) -> None:
    """Write one text to stdout."""
    fleets = _fleets(place, asked)
    if asked.form == "helm" and len(fleets) > 1:
        problem = f"holds {len(fleets)} fleets, and values are of one; name it, as {place}#{fleets[0].name}"
        raise InputError(place, f"{problem}, or give --out-dir")
    sys.stdout.write(stream(fleets, asked))


def write_files(place: str, asked: Asked, folder: Path, force: bool) -> None:
    """Write each file whole, none before it is known that all may be; print what was written.

    Raises:
        InputError: A file stands there that says something else.
    """
    made = files(_fleets(place, asked), asked)
    changed = {}
    for name, text in made.items():
        path = folder / name
        present = _text(path)
        if present is not None and present != text and not force:
            raise InputError(str(path), "is there already and says something else; --force overwrites it")
        if present != text:
            changed[path] = text
    for path, text in changed.items():
        _make_folder(path.parent)
        write_file(path, text)
    for name in made:
        print(f"{folder / name}{'' if folder / name in changed else ' (unchanged)'}")


def _fleets(place: str, asked: Asked) -> tuple[ModelFleet, ...]:
    path, name = (place, "") if Path(place).exists() or "#" not in place else place.rsplit("#", 1)
    fleets = tuple(fleet for fleet in load_fleets(path) if name in ("", fleet.name))
    if not fleets:
        known = ", ".join(fleet.name for fleet in load_fleets(path))
        raise InputError(path, f"holds no fleet {shown(name)}; it holds {known}")
    for fleet in fleets:
        if lack := missing(fleet, asked):
            raise ConfigError(path, _line(path, fleet.name, lack.path), dotted(lack.path), lack.problem)
        if not objects(fleet, asked):
            problem = f'"{fleet.name}" has no {" and no ".join(asked.only)}: nobody scales it '
            raise InputError("--only", f"{problem}(spec.autoscaler.kind is none, or scale.min is scale.max)")
    return fleets


def _line(path: str, name: str, steps: tuple[str | int, ...]) -> int:
    """Where the key would stand: the line of the mapping that lacks it."""
    for document in load_documents(Path(path)):
        tree = data(document.root)
        metadata = tree.get("metadata") if isinstance(tree, dict) else None
        if isinstance(metadata, dict) and metadata.get("name") == name:
            return mark_at(document.root, steps).line
    return 0


def _release(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"v?([0-9]{1,2})\.([0-9]{1,3})(?:\.[0-9]{1,4})?", text)
    if not match:
        raise InputError("--kubernetes", f"{shown(text)} is not a release; write one such as 1.34")
    release = int(match[1]), int(match[2])
    if release < OLDEST:
        raise InputError(
            "--kubernetes", f"{shown(text)} is below the oldest that is written for, 1.{OLDEST[1]}"
        )
    return release


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        return ""
    except OSError as error:
        raise InputError(str(path), f"can't be read: {(error.strerror or str(error)).lower()}") from error


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(folder), f"can't be made: {(error.strerror or str(error)).lower()}") from error
