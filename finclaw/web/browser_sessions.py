"""Lists and ends the browser sessions in which a user is signed in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth import HASH_SESSION_KEY
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from foundation.accounts.models import BrowserSession, User

# In this order, since Edge's User-Agent also contains Chrome, and Chrome's contains Safari.
_BROWSERS = (("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("Chrome", "Chrome"), ("Safari", "Safari"))
_SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"),
    ("Windows", "Windows"), ("Mac OS X", "macOS"), ("Linux", "Linux"),
)  # fmt: skip


@dataclass(frozen=True)
class WebSession:
    """One signed-in browser. ``key`` names it in a form; the session's own key never leaves the server."""

    key: str
    device: str
    signed_in_at: datetime | None
    is_current: bool


def describe_browser(user_agent: str) -> str:
    """ "Firefox, Linux" for a User-Agent header; empty where it tells neither."""
    named = [next((name for mark, name in table if mark in user_agent), "") for table in (_BROWSERS, _SYSTEMS)]
    return ", ".join(name for name in named if name)


def web_sessions_of(user: User, current_key: str | None) -> list[WebSession]:
    """The user's live sessions, this browser's first, then the latest."""
    found = [_show_session(row, data, current_key) for row, data in _live_sessions(user)]
    latest = sorted(
        found,
        key=lambda web_session: web_session.signed_in_at.timestamp() if web_session.signed_in_at else 0.0,
        reverse=True,
    )
    return sorted(latest, key=lambda web_session: not web_session.is_current)


def end_web_sessions(user: User, current_key: str | None, which: str) -> int:
    """End the session with this ``key``, or all ``others``; never the current one. Returns how many."""
    ended = [
        row.session_key
        for row, _data in _live_sessions(user)
        if row.session_key != current_key
        and (which == "others" or constant_time_compare(_public_key(row.session_key), which))
    ]
    return user.browser_sessions.filter(session_key__in=ended).delete()[0]


def _live_sessions(user: User) -> Iterator[tuple[BrowserSession, dict[str, str]]]:
    """Unexpired sessions that still open this account; a changed password closes the others."""
    for row in user.browser_sessions.filter(expire_date__gte=timezone.now()):
        data = row.get_decoded()
        if data.get(HASH_SESSION_KEY) == user.get_session_auth_hash():
            yield row, data


def _show_session(row: BrowserSession, data: dict[str, str], current_key: str | None) -> WebSession:
    signed_in_at = data.get("signed_in_at")
    return WebSession(
        key=_public_key(row.session_key),
        device=data.get("device") or _("A browser"),
        signed_in_at=datetime.fromisoformat(signed_in_at) if signed_in_at else None,
        is_current=row.session_key == current_key,
    )


def _public_key(session_key: str) -> str:
    return salted_hmac("finclaw.web-session", session_key, algorithm="sha256").hexdigest()[:32]
