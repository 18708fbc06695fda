"""Runs a parser of uploaded content in a process of its own, with little memory and time, without secrets or database.

A decoder that is exploited, or fed a bomb, takes nothing with it but that process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

CHILD: Final = "media.sandbox_child"
_ROOT: Final = Path(__file__).resolve().parent.parent
_MEGABYTE: Final = 1 << 20
_NOT_INSTALLED: Final = frozenset({"ImportError", "ModuleNotFoundError"})


@dataclass(frozen=True)
class Limits:
    """What one run may take: seconds of processor, seconds of the clock, megabytes of memory and of each output."""

    cpu_seconds: int = 20
    seconds: float = 60.0
    memory_megabytes: int = 1_024
    output_megabytes: int = 256


@dataclass(frozen=True)
class SandboxResult:
    """What the function answered, and the outputs that it wrote."""

    value: Any
    outputs: Mapping[str, bytes] = field(default_factory=dict)


class SandboxExceeded(Exception):
    """The content took more memory or time than is allowed."""


class SandboxInterrupted(SandboxExceeded):
    """The clock ran out, or somebody killed the process: it may have been the machine rather than the content."""


class SandboxFailed(Exception):
    """The function raised an error, whose class is the message, or its process died."""


class SandboxUnavailable(SandboxFailed):
    """The process could not be started, or lacks a library: this says nothing of the content."""


def run_limited(
    target: str,
    content: bytes,
    arguments: Mapping[str, Any],
    *,
    outputs: Iterable[str] = (),
    limits: Limits = Limits(),
) -> SandboxResult:
    """Call ``target`` ("package.module:function") in a child process, with the content as a file, the arguments, which
    are JSON, and a file for each of ``outputs``. Returns what it answers as JSON.

    Raises ``SandboxExceeded``, ``SandboxInterrupted``, ``SandboxFailed`` and ``SandboxUnavailable``.
    """
    with ExitStack() as files:
        source = _memory_file(files, "content", content)
        written = {name: _memory_file(files, name) for name in outputs}
        order = {
            "target": target,
            "content": source,
            "arguments": dict(arguments),
            "outputs": written,
            "cpu_seconds": limits.cpu_seconds,
            "memory_bytes": limits.memory_megabytes * _MEGABYTE,
            "output_bytes": limits.output_megabytes * _MEGABYTE,
        }
        answer = _run_child(order, [source, *written.values()], limits.seconds)
        return SandboxResult(answer, {name: _content_of(file) for name, file in written.items()})


def _run_child(order: Mapping[str, Any], descriptors: Iterable[int], seconds: float) -> Any:
    try:
        done = subprocess.run(  # noqa: S603  our own module
            [sys.executable, "-m", CHILD],
            input=json.dumps(order).encode(),
            capture_output=True,
            pass_fds=tuple(descriptors),
            cwd=_ROOT,
            env={"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": str(_ROOT)},
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SandboxInterrupted from None
    except OSError as error:
        raise SandboxUnavailable(type(error).__name__) from None
    if done.returncode in {-signal.SIGXCPU, -signal.SIGXFSZ}:
        raise SandboxExceeded
    if done.returncode == -signal.SIGKILL:
        raise SandboxInterrupted
    return _value_of(done)


def _value_of(done: subprocess.CompletedProcess[bytes]) -> Any:
    if done.returncode > 0:  # of its own accord: a crash on the content ends it by a signal
        raise SandboxUnavailable(f"exit {done.returncode}")
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise SandboxFailed(f"exit {done.returncode}") from None
    if answer.get("exceeded"):
        raise SandboxExceeded
    if answer.get("error") in _NOT_INSTALLED:
        raise SandboxUnavailable(answer["error"])
    if "error" in answer:
        raise SandboxFailed(answer["error"])
    return answer["value"]


def _memory_file(files: ExitStack, name: str, content: bytes = b"") -> int:
    """A file that is in memory alone, so that nothing unencrypted reaches a disk."""
    descriptor = os.memfd_create(name)
    files.callback(os.close, descriptor)
    with os.fdopen(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _content_of(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        file.seek(0)
        return file.read()
