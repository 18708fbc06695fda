"""Errors of knowledge: of stores, without which an answer is then made, and of writing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foundation.exceptions import FinClawError


class KnowledgeUnavailable(FinClawError):
    """A knowledge store failed; the answer is made without it."""

    code = "knowledge_stores_unavailable"
    default_message = "What your organisation knows could not be read."


class KnowledgeTimedOut(FinClawError):
    """A knowledge store took too long; the answer is made without it."""

    code = "knowledge_timeout"
    default_message = "What your organisation knows could not be read in time."


class KnowledgeVectorsUnavailable(FinClawError):
    """The vector store of knowledge failed; the entries are found by their words alone."""

    code = "knowledge_vectors_unavailable"
    default_message = "What your organisation knows could be searched by words alone."


class KnowledgeVectorsTimedOut(FinClawError):
    """The vector store of knowledge took too long; the entries are found by their words alone."""

    code = "knowledge_vectors_timeout"
    default_message = "What your organisation knows could be searched by words alone, for lack of time."


class KnowledgeGraphUnavailable(FinClawError):
    """The knowledge graph failed; the entries come without what is related to them."""

    code = "knowledge_graph_unavailable"
    default_message = "What is related to your organisation's knowledge could not be read."


class KnowledgeGraphTimedOut(FinClawError):
    """The knowledge graph took too long; the entries come without what is related to them."""

    code = "knowledge_graph_timeout"
    default_message = "What is related to your organisation's knowledge could not be read in time."


class EntryChanged(FinClawError):
    """The entry was changed since it was read; ``details["version"]`` is the version that it has now."""

    code = "entry_changed"
    default_message = "This entry was changed since you read it. Look at it as it is now, then try again."

    def __init__(self, version: int) -> None:
        super().__init__(details={"version": version})


class NothingToUndo(FinClawError):
    code = "nothing_to_undo"
    default_message = "This entry is as it was first written. Withdraw it instead."


class OrdersAssistant(FinClawError):
    """A text that sanitization would keep out of every prompt."""

    code = "orders_assistant"
    default_message = (
        "This text gives the assistant orders that it must not take from a text, so it would be left out of every "
        "answer. Write what holds instead."
    )


class KnowledgeImportRefused(FinClawError):
    """Lines of a file cannot be imported, so nothing of it was; ``details["lines"]`` names each with its reason."""

    code = "import_refused"
    default_message = "Some lines cannot be imported, so nothing was. Correct them, or leave them out."

    def __init__(self, lines: Sequence[dict[str, Any]]) -> None:
        super().__init__(details={"lines": list(lines)})


class KnowledgeImportUnderWay(FinClawError):
    """Another file is being imported into the same organisation."""

    code = "import_under_way"
    default_message = "Another file is being imported into your organisation. Try again once it is done."
