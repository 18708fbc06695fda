"""What runs in the sandbox of the tests."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO


def never_end(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> None:
    """Compute for ever."""
    while True:
        pass


def wait(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> None:
    """Wait for ever."""
    signal.pause()


def note_and_wait(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> None:
    """Say that it has begun, by an empty file, and wait for ever."""
    Path(arguments["note"]).touch()
    signal.pause()


def die(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> None:
    """End as when the machine has no memory left."""
    os.kill(os.getpid(), signal.SIGKILL)


def leave_behind(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> int:
    """Start a process that outlives this one, and answer its number."""
    nothing = subprocess.DEVNULL
    return subprocess.Popen(["/bin/sleep", "600"], stdin=nothing, stdout=nothing, stderr=nothing).pid


def write_for_ever(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> None:
    """Answer without an end."""
    while True:
        os.write(1, bytes(1 << 16))


def complain(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> str:
    """Fill the error output, and answer where it leads."""
    os.write(2, bytes(1 << 20))
    return str(Path("/proc/self/fd/2").readlink())


def most_processes(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> int:
    """How many processes this one may start."""
    return resource.getrlimit(resource.RLIMIT_NPROC)[0]


def fail(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> None:
    """Raise an error."""
    raise ValueError("whose words are not passed on")


def environment(content: bytes, arguments: Mapping[str, Any], outputs: Mapping[str, BinaryIO]) -> list[str]:
    """The names of the environment's variables."""
    return sorted(os.environ)
