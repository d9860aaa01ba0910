"""What tests of pages share: a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.report.browser import CHROMIUM, Browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser for the tests of one module; they are left out where there is none."""
    if CHROMIUM is None:
        pytest.skip("no chromium on PATH: the page is not drawn in a real browser")
    opened = Browser(tmp_path_factory.mktemp("browser") / "profile")
    try:
        yield opened
    finally:
        opened.close()
