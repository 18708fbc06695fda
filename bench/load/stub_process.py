"""The stand-in for a model as a process of its own, told and asked over HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import psutil

from bench.load.model_stub import LISTENING


@dataclass(frozen=True)
class StubProcess:
    """A running stub."""

    port: int
    process: psutil.Process

    @property
    def environment(self) -> dict[str, str]:
        """The settings by which the product asks it."""
        return {"OPENAI_BASE_URL": f"http://127.0.0.1:{self.port}/v1", "OPENAI_API_KEY": "stub"}

    def stats(self) -> dict[str, Any]:
        """What it was asked so far."""
        counts: dict[str, Any] = httpx2.get(f"http://127.0.0.1:{self.port}/stats").json()
        return counts

    def change(self, **behaviour: float) -> None:
        """Let it behave so from now on."""
        address = f"http://127.0.0.1:{self.port}/behaviour"
        httpx2.post(address, content=json.dumps(behaviour)).raise_for_status()


@contextmanager
def running_stub(behaviour: Mapping[str, float]) -> Iterator[StubProcess]:
    """Start it on a free port, and stop it at the end."""
    options = [f"--{name.replace('_', '-')}={value}" for name, value in behaviour.items()]
    command = [sys.executable, "-m", "bench.load.model_stub", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            said = process.stdout.readline()
            if not said.startswith(LISTENING):
                raise RuntimeError("the stub of the model did not start")
            yield StubProcess(int(said.removeprefix(LISTENING)), psutil.Process(process.pid))
        finally:
            process.terminate()
