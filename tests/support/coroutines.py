"""Coroutines run by a test that does not await, whatever else ran in its process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import anyio

Answer = TypeVar("Answer")


def run_coroutine(function: Callable[..., Awaitable[Answer]], *arguments: Any) -> Answer:
    """What this function answers once awaited, in a thread of its own.

    Where another test of this process drives a browser, a loop runs in the thread of the tests already.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(anyio.run, function, *arguments).result()
