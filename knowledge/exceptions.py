"""Errors of knowledge stores; an answer is then made without the organisation's knowledge."""

from foundation.exceptions import FinClawError


class KnowledgeUnavailable(FinClawError):
    """A knowledge store failed; the answer is made without it."""

    code = "knowledge_stores_unavailable"
    default_message = "What your organisation knows could not be read."


class KnowledgeTimedOut(FinClawError):
    """A knowledge store took too long; the answer is made without it."""

    code = "knowledge_timeout"
    default_message = "What your organisation knows could not be read in time."
