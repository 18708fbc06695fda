"""Runs the embedded multilingual sentence encoder (E5, int8 weights) with onnxruntime on one thread.

A "state" here is a token's hidden state: its vector of 384 numbers after one of the model's 12 layers. The origin and
licence of the model stand in ``data/NOTICE.md``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foundation.encoder.model_outputs import with_outputs
from foundation.language import normalize
from foundation.native_threads import NativeThread

MODEL_FILE: Final = Path(__file__).parent / "data" / "e5-small.onnx"
QUERY_MEAN_FILE: Final = MODEL_FILE.with_name("e5-query-mean.npy")
E5_DIMENSIONS: Final = 384
MAX_TOKENS: Final = 256
"""Most tokens read of one text, prefix included. So many take an eighth of a second, twice as many a third."""

QUERY_PREFIX: Final = "query: "
PASSAGE_PREFIX: Final = "passage: "
_MOST_KEPT: Final = 64
"""Most entries of ``SentenceVectorCache``."""

_START, _END = 0, 2  # token ids of the beginning and the end of a text
_LAYERS: Final = 12


@dataclass(frozen=True, slots=True)
class PlacedStates:
    """Hidden states of a text's tokens after several layers, and where each token stands in the text.

    ``states`` are arrays of shape (tokens, 384), one a layer; ``starts`` and ``ends`` are indices of characters, of
    shape (tokens,). Tokens of the prefix have negative ones.
    """

    states: Sequence[NDArray[np.float32]]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


class SentenceVectorCache:
    """A small cache of sentence vectors that a run of the model computed beside the output that was asked for.

    ``E5Model`` looks here before it runs the model again for the same text. The key is a hash of the token ids; reading
    an entry removes it, and the oldest are dropped.
    """

    def __init__(self) -> None:
        self._vectors: dict[bytes, NDArray[np.float32]] = {}

    def __len__(self) -> int:
        return len(self._vectors)

    def add(self, ids: Sequence[int], vector: NDArray[np.float32]) -> None:
        """Store the vector of these token ids, and drop the oldest entries where there are too many."""
        for oldest in list(self._vectors)[: max(0, len(self._vectors) - _MOST_KEPT)]:
            self._vectors.pop(oldest, None)
        self._vectors[_hashed(ids)] = vector

    def take(self, ids: Sequence[int]) -> NDArray[np.float32] | None:
        """Remove and return the vector of these token ids; None where there is none."""
        return self._vectors.pop(_hashed(ids), None)


class E5Model:
    """The encoder and its tokenizer, which is stored in the same ONNX file. Safe to share between threads.

    The file's outputs are ``vectors`` (sentence vectors), ``middle`` (means of tokens in the middle of the model) and
    ``tokenizer`` (bytes of a SentencePiece model); the layers' inner values are added to them when it is loaded.
    """

    def __init__(self, model: Path | bytes = MODEL_FILE) -> None:
        # onnxruntime sends usage data to its makers from 1.29 on. 1.28 is pinned; another version must not send any.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        # Both take a third of a second to import, which a process that embeds nothing never pays.
        from onnxruntime import InferenceSession, SessionOptions
        from sentencepiece import SentencePieceProcessor

        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False  # it would never free the memory that the longest text took
        given = model if isinstance(model, bytes) else model.read_bytes()
        whole = with_outputs(given, map(_state_name, range(_LAYERS)))
        self._session = InferenceSession(whole, options, providers=["CPUExecutionProvider"])
        (tokenizer,) = self._session.run(["tokenizer"], {"ids": [[_START]]})
        self._tokenizer = SentencePieceProcessor(model_proto=tokenizer.tobytes())
        self._vector_cache = SentenceVectorCache()

    def vectors(self, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row of length 1 for each text, shape (len(texts), 384).

        One text at a time: on one thread nothing is gained by several (measured), and a vector does not depend on
        which other texts it is made with.
        """
        return self._rows(["vectors"], prefix, texts)

    def vectors_with_form(self, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of ``vectors``, each followed by the mean of its tokens in the middle of the model.

        Shape (len(texts), 768). The mean tells more of a sentence's form, and less of its topic (measured). Each vector
        is cached, so that a following ``vectors`` of the same text does not run the model.
        """
        return self._rows(["vectors", "middle"], prefix, texts)

    def token_states(self, prefix: str, text: str, layers: Sequence[int]) -> list[NDArray[np.float32]]:
        """Hidden states of a text's tokens after each of these layers (0 to 11), arrays of shape (tokens, 384).

        The text's vector is cached, so that a following ``vectors`` of the same text does not run the model.
        """
        ids = self._ids(prefix + normalize(text))
        names = [_state_name(layer) for layer in layers]
        vector, *found = self._session.run(["vectors", *names], {"ids": [ids]})
        self._vector_cache.add(ids, vector[0])
        return [states.reshape(-1, E5_DIMENSIONS) for states in found]

    def placed_states(self, prefix: str, text: str, layers: Sequence[int]) -> PlacedStates:
        """Hidden states of a text's tokens after each of these layers, with the tokens' places in the text.

        The text is not normalized here, since the places count its characters: the caller normalizes it.
        """
        whole = prefix + text
        pieces = self._tokenizer.encode(whole, return_type="proto").pieces[: MAX_TOKENS - 2]
        names = [_state_name(layer) for layer in layers]
        found = self._session.run(names, {"ids": [[_START, *(piece.id for piece in pieces), _END]]})
        # The tokenizer tells places in bytes of UTF-8; the caller wants characters.
        bytes_before = np.cumsum([0, *(len(character.encode()) for character in whole)])
        places = np.array([(piece.begin, piece.end) for piece in pieces], dtype=np.int64).reshape(-1, 2)
        starts, ends = np.searchsorted(bytes_before, places.T) - len(prefix)
        return PlacedStates([states.reshape(-1, E5_DIMENSIONS)[1:-1] for states in found], starts, ends)

    def _rows(self, outputs: Sequence[str], prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [self._row(outputs, self._ids(prefix + normalize(text))) for text in texts]
        return np.stack(rows) if rows else np.empty((0, len(outputs) * E5_DIMENSIONS), dtype=np.float32)

    def _ids(self, text: str) -> list[int]:
        return [_START, *self._tokenizer.encode(text)[: MAX_TOKENS - 2], _END]

    def _row(self, outputs: Sequence[str], ids: list[int]) -> NDArray[np.float32]:
        if list(outputs) == ["vectors"] and (made := self._vector_cache.take(ids)) is not None:
            return made
        found: Sequence[NDArray[np.float32]] = self._session.run(outputs, {"ids": [ids]})
        if len(found) > 1:
            self._vector_cache.add(ids, found[0][0])
        return np.concatenate([output[0] for output in found])


class E5Embedder:
    """An ``Embedder`` that understands sentences in Chinese and English, without server or network.

    The model is loaded with the first text.
    """

    is_local = True
    model_id = "multilingual-e5-small-int8-1"
    dimensions = E5_DIMENSIONS

    def load(self) -> None:
        """Load the model now. Processes that are forked afterwards share it: it runs without threads of its own."""
        _shared_model()

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As ``Embedder.embed_passages``, shape (len(texts), 384). Only the first 256 tokens of a text are read."""
        return _thread.call(_shared_model().vectors, PASSAGE_PREFIX, texts)

    def embed_with_form(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As ``E5Model.vectors_with_form``, for passages."""
        return _thread.call(_shared_model().vectors_with_form, PASSAGE_PREFIX, texts)

    def token_states(self, text: str, layers: Sequence[int]) -> list[NDArray[np.float32]]:
        """As ``E5Model.token_states``, for a question; of a long text only its first 256 tokens."""
        return _thread.call(_shared_model().token_states, QUERY_PREFIX, text, layers)

    def placed_states(self, text: str, layers: Sequence[int]) -> PlacedStates:
        """As ``E5Model.placed_states``, for a question."""
        return _thread.call(_shared_model().placed_states, QUERY_PREFIX, text, layers)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As ``Embedder.embed_queries``, with the same limit as for passages.

        The mean vector of questions is subtracted, so that a passage is not near only because it is a question as
        well (measured).
        """
        centred = _thread.call(_shared_model().vectors, QUERY_PREFIX, texts) - _query_mean()
        rows: NDArray[np.float32] = centred / np.linalg.norm(centred, axis=1, keepdims=True)
        return rows


@cache
def _query_mean() -> NDArray[np.float32]:
    """The mean vector of questions, shape (384,); see ``bench/query_mean.py``."""
    mean: NDArray[np.float32] = np.load(QUERY_MEAN_FILE)
    return mean


_thread: Final = NativeThread()
_loaded: list[E5Model] = []
_loading = Lock()


def _shared_model() -> E5Model:
    """The model of this process, which many threads may ask for at once."""
    with _loading:
        if not _loaded:
            _loaded.append(E5Model())
        return _loaded[0]


def _hashed(ids: Sequence[int]) -> bytes:
    return sha256(np.asarray(ids, dtype=np.int32).tobytes()).digest()


def _state_name(layer: int) -> str:
    """The name of a layer's hidden states in the ONNX graph: what its last layer normalisation (``oln``) gives."""
    return f"l{layer}.oln"
