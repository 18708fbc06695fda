"""The other end of ``media/sandbox.py``: limits itself, then runs the function it is told."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
from importlib import import_module
from typing import Any, Final

_PR_SET_PDEATHSIG: Final = 1


def main() -> None:
    """Read the order from standard input and write what the function answers, or its error's class, as JSON."""
    order = json.loads(sys.stdin.buffer.read())
    _limit(order)
    try:
        answer = {"value": _call(order)}
    except (MemoryError, RecursionError):
        answer = {"exceeded": True}
    except Exception as error:  # noqa: BLE001  whatever a parser raises is told by its class alone
        answer = {"error": type(error).__name__}
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()
    os._exit(0)  # nothing of the content is worth a destructor


def _limit(order: dict[str, Any]) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # when whoever started it ends
    seconds = order["cpu_seconds"]
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))  # at the hard limit no signal tells why it ended
    if not order["may_fork"]:
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    for kind, most in (
        (resource.RLIMIT_AS, order["memory_bytes"]),
        (resource.RLIMIT_FSIZE, order["output_bytes"]),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        resource.setrlimit(kind, (most, most))


def _call(order: dict[str, Any]) -> Any:
    module, _, function = order["target"].partition(":")
    run = getattr(import_module(module), function)
    outputs = {name: os.fdopen(descriptor, "wb", closefd=False) for name, descriptor in order["outputs"].items()}
    with os.fdopen(order["content"], "rb", closefd=False) as content:
        answer = run(content.read(), order["arguments"], outputs)
    for file in outputs.values():
        file.flush()
    return answer


if __name__ == "__main__":
    main()
