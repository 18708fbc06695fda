"""Django's session engine with the user's id on each row (``SESSION_ENGINE`` names this module)."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore

from foundation.accounts.models import BrowserSession


class SessionStore(DatabaseSessionStore):
    """A session store that writes the signed-in user's id beside the encoded data."""

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def create_model_instance(self, data: dict[str, Any]) -> BrowserSession:
        """The row of this session; without an owner before sign-in."""
        row = super().create_model_instance(data)
        assert isinstance(row, BrowserSession)
        row.user_id = data.get(SESSION_KEY)
        return row


def delete_expired_sessions() -> None:
    """Delete the sessions that have expired."""
    SessionStore.clear_expired()
