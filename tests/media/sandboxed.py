"""What runs in the sandbox of the tests."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, BinaryIO


def never_end(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> None:
    """Compute for ever."""
    while True:
        pass


def fail(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> None:
    """Raise an error."""
    raise ValueError("whose words are not passed on")


def environment(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> list[str]:
    """The names of the environment's variables."""
    return sorted(os.environ)
