"""Every measurement, one after another, each in a process of its own.

    python -m bench --data FOLDER

A single one runs by its name: ``python -m bench.retrieval --data FOLDER``, ``python -m bench.end_latency`` …
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from bench.data import add_data_argument

_WITH_DATA = ("retrieval", "minilm", "replay", "historian", "turn_overhead", "search_scale", "evolution_throughput")
_WITHOUT_DATA = (
    "capacity", "classifier", "doors", "drift", "end_latency", "erasure", "erasure_kills", "export", "failover",
    "hostile_messages", "load", "learned_latency", "learning_kills", "learning_load", "outbox_throughput", "probes",
    "projection", "prompt_tokens", "simulated_month", "slow_clients", "worker_kills",
)  # fmt: skip


def main() -> int:
    """Answer the number of measurements that failed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    add_data_argument(parser)
    folder = parser.parse_args().data
    commands = [[f"bench.{name}", "--data", str(folder)] for name in _WITH_DATA]
    commands += [[f"bench.{name}"] for name in _WITHOUT_DATA]
    return sum(subprocess.run([sys.executable, "-m", *command], check=False).returncode != 0 for command in commands)


if __name__ == "__main__":
    sys.exit(main())
