"""Names of images: their repository, tag, digest, and the release that a tag names."""

from __future__ import annotations

import pytest

from headrace.manifest.image import image


@pytest.mark.parametrize(
    ("reference", "repository", "tag", "release"),
    [
        ("vllm/vllm-openai:v0.9.1", "vllm/vllm-openai", "v0.9.1", (0, 9, 1)),
        ("vllm/vllm-openai", "vllm/vllm-openai", "", None),
        ("docker.io/vllm/vllm-openai:latest", "vllm/vllm-openai", "latest", None),
        ("localhost:5000/x/vllm-openai", "x/vllm-openai", "", None),
        ("localhost/x:1.2", "x", "1.2", (1, 2, 0)),
        ("Registry.Local/A/B:0.10.0-x86", "a/b", "0.10.0-x86", (0, 10, 0)),
        ("vllm/vllm-openai:v0.6.3.post1", "vllm/vllm-openai", "v0.6.3.post1", (0, 6, 3)),
        ("x/vllm-openai:kvcache-v0.8.5-20250520", "x/vllm-openai", "kvcache-v0.8.5-20250520", (0, 8, 5)),
        ("x/y:nightly-2026-01-01", "x/y", "nightly-2026-01-01", None),
        ("x/y:${TAG}", "x/y", "${TAG}", None),
        ("${IMAGE:-x/y:v1.2.3}", "${image:-x/y:v1.2.3}", "", None),
        ("x/y:v1.2.3@sha256:00", "x/y", "v1.2.3", (1, 2, 3)),
    ],
)
def test_parts(reference: str, repository: str, tag: str, release: tuple[int, int, int] | None) -> None:
    found = image(reference)
    assert (found.repository, found.tag, found.release) == (repository, tag, release)
    assert found.text == reference
    assert found.known is ("$" not in reference)
