"""What is imported and collected at the start lives to the end: no search for garbage need walk through it.

Collecting ten thousand tests makes half a million objects and frees hardly any, while each full search visits them all.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Search for none while tests are collected, leave what was made by then out of every later search, and search
    seldom: a test leaves little behind.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)
