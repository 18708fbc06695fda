"""Exceptions of Qdrant. Messages and details never hold what the server said, which may quote a request."""

from __future__ import annotations

from foundation.llm.exceptions import ProviderFailure


class QdrantUnavailable(ProviderFailure):
    """Qdrant did not answer, or cannot be used at all; ``details["reason"]`` says why.

    The reasons are those of other providers ("unreachable", "timeout", "server_error", "credentials_refused"), so work
    that a worker began waits until Qdrant answers again, and uses up no attempt.
    """

    code = "qdrant_unavailable"
    default_message = "The vector store did not answer. Search goes on with the database alone."

    @property
    def may_be_its_doing(self) -> bool:
        """Never: requests are small and alike, so one that times out tells of the server."""
        return False


class QdrantRefused(QdrantUnavailable):
    """Qdrant answered that the request itself is wrong: no later attempt would succeed.

    ``details["status"]`` is the HTTP status, None in local mode.
    """

    default_message = "The vector store refused a request."

    @property
    def is_providers_fault(self) -> bool:
        """Never: the server answered."""
        return False
