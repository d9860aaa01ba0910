"""From a ModelFleet file to `spec.ModelFleet` and back; the only room that imports pydantic.

Belongs here: the form of the file (keys, ranges, defaults and their reasons), what is said about a wrong one,
its JSON Schema and its reference page.

Does not belong here: what the numbers do (that is `decide`), reading YAML (that is `documents`).

form.py          the keys, as pydantic classes, a docstring under each
form_serving.py  those that only a manifest needs: server, autoscaler, drain, rollout, alerts
shape.py         what all mappings of the file share
leaf.py          single values: how one kind is read, bounded, written, described
text.py          single values that are texts, lists or mappings of them
fault.py         what is wrong with a file → one sentence with file, line and dotted path
load.py          YAML → fleets
encode.py        a fleet → YAML
serving.py       what form_serving's keys become, and back
schema.py        the form → JSON Schema and the reference page
"""

from headrace.config.encode import document
from headrace.config.load import fleets, load_fleets
from headrace.config.schema import reference, schema

__all__ = ["document", "fleets", "load_fleets", "reference", "schema"]
