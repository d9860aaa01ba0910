"""A ModelFleet as the objects that run it on Kubernetes, with a comment at each number that says where it came from.

Belongs here: what each object holds, the text of comments, how trees become YAML, and which files a form has.

Does not belong here: a number of its own (that is `decide`), a fact about a server (that is `engines`), the hook's
script (that is `hook`), reading or writing files (that is `cli`).

asked.py       what is asked for: parts, form, release of Kubernetes
noted.py       plain trees whose values may carry a comment
yaml_text.py   such a tree → YAML
setting.py     what the objects of one fleet share: names, labels, series, the engine's facts
missing.py     which key of the file is missing
…              one module per object
objects.py     the objects of a fleet
forms.py       objects → files: plain, kustomize (kustomize.py), Helm values (helm.py)
"""

from headrace.render.asked import FORMS, PARTS, Asked
from headrace.render.forms import files, stream
from headrace.render.missing import missing
from headrace.render.noted import Noted, plain
from headrace.render.objects import Object, objects
from headrace.render.yaml_text import yaml_text

__all__ = [
    "FORMS",
    "PARTS",
    "Asked",
    "Noted",
    "Object",
    "files",
    "missing",
    "objects",
    "plain",
    "stream",
    "yaml_text",
]
