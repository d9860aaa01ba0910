"""Kubernetes' own validation for the tests here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.kubernetes.api import Api


@pytest.fixture(scope="session")
def api(kubernetes_programs: Path) -> Iterator[Api]:
    """The API of Kubernetes; a test that asks for it is left out where its programs are not."""
    with Api(kubernetes_programs) as found:
        yield found
