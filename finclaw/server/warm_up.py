"""Loads, when a process starts, what its first requests or jobs would otherwise load while somebody waits."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from django.db import DatabaseError, connection
from django.template.loader import get_template
from django.urls import get_resolver
from psycopg_pool import PoolTimeout

from finclaw.brain.boundary import asks_to_execute
from finclaw.brain.self_questions.recognition import read_self_question
from finclaw.brain.understanding.intent import classify
from foundation.embeddings import configured_embedder
from foundation.encoder import embedded_encoder
from foundation.language import ParsedMessage
from foundation.llm import configured_backend
from foundation.outbox.jobs import handlers
from foundation.qdrant import load_library
from foundation.sanitization.services import sanitize
from knowledge.configuration import configured_store
from memory.content_blocks import TEXT, checked_blocks
from memory.evolution.rules import rule_books
from memory.projection.registry import is_searched, is_written
from personas.message_wishes import infer_wishes

_REHEARSED: Final = (
    "Why did treasury yields fall last week, and what does it mean for my bonds? Please keep it short.",
    "上周国债收益率为什么下跌？这对我持有的债券有什么影响？请简短回答。",
)
"""One message in each language, long enough that every table and model of that language is loaded to read it."""
_PAGES: Final = ("web/chat.html", "web/partials/chat_message.html", "web/error.html")


def warm_up() -> None:
    """Load everything that a web process needs, read a message of each language, and open connections to the database.

    Call it after the fork: neither a connection survives one, nor the thread beside gevent in which the encoder reads.
    A second call takes milliseconds.
    """
    warm_up_head()
    for text in _REHEARSED:
        _rehearse(text)
    _open_connections()


def warm_up_head() -> None:
    """Load what the web processes may share with the main process that forks them."""
    _ = get_resolver().url_patterns
    for page in _PAGES:
        get_template(page)
    rule_books()
    configured_store()
    configured_backend()
    if is_searched():
        load_library()
    _load_encoder()


def warm_up_jobs() -> None:
    """Load what the processes of background work share with the one that forks them."""
    handlers()
    configured_backend()
    rule_books()
    if is_written():
        load_library()
    _load_encoder()


def _load_encoder() -> None:
    if encoder := embedded_encoder():
        encoder.load()


def _rehearse(text: str) -> None:
    """Run every step that reads a message before a model is asked."""
    checked_blocks([{"type": TEXT, "text": text}])
    message = ParsedMessage(text)
    asks_to_execute(text)
    read_self_question(message)
    classify(message)
    infer_wishes(message)
    sanitize(text)
    embedder = configured_embedder()
    if embedder.is_local:
        embedder.embed_queries([text])


def _open_connections() -> None:
    """The pool's first connections. Without a database the process is not ready, and says so itself."""
    with suppress(DatabaseError, PoolTimeout):
        connection.ensure_connection()
    connection.close()
