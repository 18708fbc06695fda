"""How a turn hears that an organisation's knowledge did not answer."""

from foundation.exceptions import FinClawError


class KnowledgeUnavailable(FinClawError):
    """A knowledge store failed; the turn goes on without it."""

    code = "knowledge_stores_unavailable"
    default_message = "What your organisation knows could not be read."


class KnowledgeTimedOut(FinClawError):
    """A knowledge store took too long; the turn goes on without it."""

    code = "knowledge_timeout"
    default_message = "What your organisation knows could not be read in time."
