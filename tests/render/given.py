"""Fleets for the tests of render, and how to get at what is rendered of them."""

from __future__ import annotations

from typing import Any

from headrace.config import fleets
from headrace.render import Asked, Object, missing, objects, plain
from headrace.spec import ModelFleet

BASE = """\
apiVersion: headrace.dev/v1alpha1
kind: ModelFleet
metadata: {{name: llama}}
spec:
  capacity: {{{capacity}}}
  scale: {{{scale}}}
  start: {start}
  server:
    image: {image}
    model: {model}
    cache: {{claim: weights}}
    namespace: serving
{server}
{spec}
"""


def fleet(**keys: str) -> ModelFleet:
    """A fleet that is like most, but for what is said; `server` and `spec` are lines of those sections."""
    usual = {
        "capacity": "slots: 256, accelerators: 8",
        "scale": "min: 2, max: 8, drain: 2m",
        "start": "3m",
        "image": "vllm/vllm-openai:v0.18.0",
        "model": "meta-llama/Llama-3.3-70B-Instruct",
    }
    sections = {
        "server": "\n".join(f"    {line}" for line in keys.pop("server", "").splitlines()),
        "spec": "\n".join(f"  {line}" for line in keys.pop("spec", "").splitlines()),
    }
    (read,) = fleets(BASE.format(**{**usual, **keys, **sections}), "f.yaml")
    return read


def rendered(of: ModelFleet, asked: Asked = Asked()) -> dict[str, Object]:  # noqa: B008 - frozen
    """The objects by their part; of gitops the last."""
    assert missing(of, asked) is None
    return {made.part: made for made in objects(of, asked)}


def part(name: str, of: ModelFleet, asked: Asked = Asked()) -> Any:  # noqa: B008 - frozen
    """One object as plain values."""
    return plain(rendered(of, asked)[name].tree)


def container(of: ModelFleet) -> Any:
    """The server's container."""
    return part("deployment", of)["spec"]["template"]["spec"]["containers"][0]
