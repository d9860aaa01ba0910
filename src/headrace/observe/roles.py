"""Which column is which, where there are more roles than a time and a value: as named, or by its name.

Content decides nothing here: of two numbers in a row none says which is the queue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headrace.errors import InputError
from headrace.observe.column_names import Role, plain_name, unitless_name
from headrace.observe.columns import listed, named


def columns_of(
    source: str, names: Sequence[str], wanted: Mapping[Role, str | None], needed: Sequence[Role]
) -> dict[Role, int]:
    """The position of each role's column.

    Args:
        source: The file's name, for messages.
        names: All column names in their order.
        wanted: For each role the name that was given, or None.
        needed: Roles without which nothing can be read.

    Raises:
        InputError: A name that is not there, two columns that could be one role, or a needed one not found.
    """
    chosen: dict[Role, int] = {
        role: named(source, names, name, role.option) for role, name in wanted.items() if name is not None
    }
    for role in wanted:
        if role in chosen:
            continue
        others = [at for at in range(len(names)) if at not in chosen.values()]
        found = _found(names, others, role)
        if len(found) > 1:
            could = listed([names[at] for at in found])
            raise InputError(
                source, f"{could} could each be the {role.noun} column; name it with {role.option}"
            )
        if found:
            chosen[role] = found[0]
        elif role in needed:
            raise missing(source, names, role)
    for role, at in chosen.items():
        twice = [other.noun for other, there in chosen.items() if there == at and other != role]
        if twice:
            raise InputError(source, f"{names[at]!r} can't be both the {role.noun} and the {twice[0]} column")
    return chosen


def missing(source: str, names: Sequence[str], role: Role) -> InputError:
    """The sentence for a role that no column's name says."""
    return InputError(
        source,
        f"no column looks like the {role.noun} column; name it with {role.option} "
        f"(the columns are {listed(names)})",
    )


def guesses_note(names: Sequence[str], chosen: Mapping[Role, int], given: Mapping[Role, str | None]) -> str:
    """One sentence on what was guessed; "" if nothing was."""
    guesses = [
        f"{role.noun} column {names[at]!r} ({role.option} names another)"
        for role, at in chosen.items()
        if given.get(role) is None
    ]
    return f"Guessed: {', '.join(guesses)}." if guesses else ""


def _found(names: Sequence[str], others: Sequence[int], role: Role) -> list[int]:
    """The columns of the best group of names that has any; whole names before those without their unit."""
    for group in role.names:
        for form in (plain_name, unitless_name):
            found = [at for at in others if form(names[at]) in group.split()]
            if found:
                return found
    return []
