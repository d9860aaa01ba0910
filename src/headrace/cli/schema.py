"""`headrace schema`: the JSON Schema of a ModelFleet file."""

from __future__ import annotations

import json


def schema() -> None:
    """Print the JSON Schema of a ModelFleet file, for editors and for checks before headrace runs.

    It refuses nothing that headrace accepts; values against each other (max below min) only headrace checks.
    """
    from headrace.config import schema as fleet_schema

    print(json.dumps(fleet_schema(), indent=2))
