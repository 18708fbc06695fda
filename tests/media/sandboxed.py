"""What runs in the sandbox of the tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from typing import Any, BinaryIO


def never_end(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> None:
    """Compute for ever."""
    while True:
        pass


def wait(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> None:
    """Wait for ever."""
    signal.pause()


def die(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> None:
    """End as when the machine has no memory left."""
    os.kill(os.getpid(), signal.SIGKILL)


def fail(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> None:
    """Raise an error."""
    raise ValueError("whose words are not passed on")


def environment(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> list[str]:
    """The names of the environment's variables."""
    return sorted(os.environ)
