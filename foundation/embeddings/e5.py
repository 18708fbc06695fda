"""The embedded multilingual model: a sentence encoder in int8, run by onnxruntime on one thread.

Where the model comes from, and under what licence, stands in ``data/NOTICE.md``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from foundation.language import normalize

MODEL_FILE: Final = Path(__file__).parent / "data" / "e5-small.onnx"
QUERY_MEAN_FILE: Final = MODEL_FILE.with_name("e5-query-mean.npy")
E5_DIMENSIONS: Final = 384
MAX_TOKENS: Final = 256
"""Of one text, with its prefix; the rest is not read. It takes an eighth of a second, twice as many take a third."""

_START, _END = 0, 2


class E5Model:
    """The encoder and its tokenizer, both of one file. Safe to share between threads."""

    def __init__(self, model: Path | bytes = MODEL_FILE) -> None:
        # From 1.29 on onnxruntime reports to its makers; 1.28 is pinned, and whoever brings another is not reported on.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        # Both take a third of a second to import, which a process that embeds nothing never pays.
        from onnxruntime import InferenceSession, SessionOptions
        from sentencepiece import SentencePieceProcessor

        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # it would keep the memory of the longest text
        given = model if isinstance(model, bytes) else str(model)
        self._session = InferenceSession(given, options, providers=["CPUExecutionProvider"])
        (tokenizer,) = self._session.run(["tokenizer"], {"ids": [[_START]]})
        self._tokenizer = SentencePieceProcessor(model_proto=tokenizer.tobytes())

    def vectors(self, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row of length 1 for each text, shape (len(texts), 384).

        One text at a time: on one thread nothing is gained by several (measured), and a vector does not depend on
        which other texts it is made with.
        """
        return self._rows(["vectors"], prefix, texts)

    def vectors_with_form(self, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """As ``vectors``, and behind each the mean of its tokens in the middle of the model, shape (len(texts), 768):
        that tells more of a sentence's form, and less of its topic (measured).
        """
        return self._rows(["vectors", "middle"], prefix, texts)

    def _rows(self, outputs: Sequence[str], prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [self._row(outputs, self._ids(prefix + normalize(text))) for text in texts]
        return np.stack(rows) if rows else np.empty((0, len(outputs) * E5_DIMENSIONS), dtype=np.float32)

    def _ids(self, text: str) -> list[int]:
        return [_START, *self._tokenizer.encode(text)[: MAX_TOKENS - 2], _END]

    def _row(self, outputs: Sequence[str], ids: list[int]) -> NDArray[np.float32]:
        found: Sequence[NDArray[np.float32]] = self._session.run(outputs, {"ids": [ids]})
        return np.concatenate([output[0] for output in found])


class E5Embedder:
    """An ``Embedder`` that understands sentences in Chinese and English, without server or network.

    The model is loaded with the first text.
    """

    is_local = True
    model_id = "multilingual-e5-small-int8-1"
    dimensions = E5_DIMENSIONS

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As ``Embedder.embed_passages``, shape (len(texts), 384). Of a long text its first 256 tokens count."""
        return _call_in_native_thread(_shared_model().vectors, "passage: ", texts)

    def embed_with_form(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of passages followed by features of their form, as ``E5Model.vectors_with_form``."""
        return _call_in_native_thread(_shared_model().vectors_with_form, "passage: ", texts)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As ``Embedder.embed_queries``, with the same limit as for passages.

        What all questions share is taken away, so that a passage is not near for being a question itself (measured).
        """
        centred = _call_in_native_thread(_shared_model().vectors, "query: ", texts) - _query_mean()
        rows: NDArray[np.float32] = centred / np.linalg.norm(centred, axis=1, keepdims=True)
        return rows


@cache
def _query_mean() -> NDArray[np.float32]:
    """The mean vector of questions, shape (384,); see ``bench/query_mean.py``."""
    mean: NDArray[np.float32] = np.load(QUERY_MEAN_FILE)
    return mean


_loaded: list[E5Model] = []
_loading = Lock()


def _shared_model() -> E5Model:
    """The model of this process, which many threads may ask for at once."""
    with _loading:
        if not _loaded:
            _loaded.append(E5Model())
        return _loaded[0]


def _call_in_native_thread(function: Callable[..., NDArray[np.float32]], *arguments: Any) -> NDArray[np.float32]:
    """Call ``function``, in a native thread where greenlets share this one, so that they go on meanwhile."""
    monkey = sys.modules.get("gevent.monkey")
    if monkey is None or not monkey.is_module_patched("threading"):
        return function(*arguments)
    from gevent import get_hub

    answer: NDArray[np.float32] = get_hub().threadpool.apply(function, arguments)
    return answer
