"""Runs a parser of uploaded content in a process of its own, with little memory and time, and no environment.

A decoder that crashes or is fed a bomb takes nothing with it but that process, which inherits no key and no connection.
It is no jail: the process runs as the same user of the machine, so one that is taken over by the content still reaches
the files and the network that this user reaches, and what the kernel shows of their other processes.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, cast

CHILD: Final = "media.sandbox_child"
_ROOT: Final = Path(__file__).resolve().parent.parent
_MEGABYTE: Final = 1 << 20
_PIECE_BYTES: Final = 1 << 16
_NOT_INSTALLED: Final = frozenset({"ImportError", "ModuleNotFoundError"})


@dataclass(frozen=True)
class Limits:
    """What one run may take: seconds of processor, seconds of the clock, megabytes of memory, of each output and of the
    answer, and whether it ``may_fork``: start threads and processes. The machine's root may in any case.
    """

    cpu_seconds: int = 20
    seconds: float = 60.0
    memory_megabytes: int = 1_024
    output_megabytes: int = 256
    answer_megabytes: int = 32
    may_fork: bool = False


@dataclass(frozen=True)
class SandboxResult:
    """What the function answered, and the outputs that it wrote."""

    value: Any
    outputs: Mapping[str, bytes] = field(default_factory=dict)


class SandboxExceeded(Exception):
    """The content took more memory or time than is allowed."""


class SandboxTooSlow(SandboxExceeded):
    """The content took more time of the processor than is allowed."""


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

    Raises ``SandboxExceeded`` and its kinds, ``SandboxTooSlow`` and ``SandboxInterrupted``; ``SandboxFailed``, and
    ``SandboxUnavailable``.
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
            "may_fork": limits.may_fork,
        }
        answer = _run_child(order, [source, *written.values()], limits)
        return SandboxResult(answer, {name: _content_of(file) for name, file in written.items()})


def _run_child(order: Mapping[str, Any], descriptors: Iterable[int], limits: Limits) -> Any:
    with _started(descriptors) as child:
        try:
            _send(child, json.dumps(order).encode())
            answer = _all_of(child, limits)
        finally:  # what it started, too; it was not waited for yet, so its number is nobody else's
            os.killpg(child.pid, signal.SIGKILL)
    if child.returncode == -signal.SIGXCPU:
        raise SandboxTooSlow
    if child.returncode == -signal.SIGXFSZ:
        raise SandboxExceeded
    if child.returncode == -signal.SIGKILL:
        raise SandboxInterrupted
    return _value_of(child.returncode, answer)


def _started(descriptors: Iterable[int]) -> subprocess.Popen[bytes]:
    """The process, which leads a group of its own. Raises ``SandboxUnavailable``."""
    try:
        return subprocess.Popen(  # noqa: S603  our own module
            [sys.executable, "-m", CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=tuple(descriptors),
            cwd=_ROOT,
            env={"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": str(_ROOT)},
            start_new_session=True,
        )
    except OSError as error:
        raise SandboxUnavailable(type(error).__name__) from None


def _send(child: subprocess.Popen[bytes], order: bytes) -> None:
    with suppress(BrokenPipeError):  # it died first: its exit tells how
        cast("IO[bytes]", child.stdin).write(order)
        cast("IO[bytes]", child.stdin).close()


def _all_of(child: subprocess.Popen[bytes], limits: Limits) -> bytes:
    """What the process writes until it ends. Raises ``SandboxInterrupted`` when its time is over, and
    ``SandboxExceeded`` when it writes too much.
    """
    until = time.monotonic() + limits.seconds
    pipe = cast("IO[bytes]", child.stdout).fileno()
    answer = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while selector.select(max(0.0, until - time.monotonic())):
            piece = os.read(pipe, _PIECE_BYTES)
            if not piece:
                return bytes(answer)
            answer += piece
            if len(answer) > limits.answer_megabytes * _MEGABYTE:
                raise SandboxExceeded
    raise SandboxInterrupted


def _value_of(exit_code: int, output: bytes) -> Any:
    if exit_code > 0:  # of its own accord: a crash on the content ends it by a signal
        raise SandboxUnavailable(f"exit {exit_code}")
    try:
        answer = json.loads(output)
    except ValueError:
        raise SandboxFailed(f"exit {exit_code}") from None
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
