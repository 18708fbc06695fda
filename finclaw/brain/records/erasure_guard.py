"""Stops an answer from being stored when what its prompt quoted was erased meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from django.utils.translation import gettext as _

from consent.exceptions import ErasureInProgress
from consent.permit import Permit
from finclaw.brain.recall.portraits import are_still_stored
from finclaw.brain.recall.window import Window
from finclaw.brain.types import PromptCandidate
from foundation.sanitization.services import sanitize
from memory.historian.events import canonical_texts
from memory.models import Session
from memory.services import sessions


def require_unerased(
    permit: Permit, session: Session, window: Window, taken: Sequence[PromptCandidate], erasures: int
) -> None:
    """Raise ``ErasureInProgress`` for an answer that may quote something the user, or in a group any member, asked to
    forget since the turn began. ``erasures`` is how many the user had requested by then.
    """
    # Summaries that were written anew meanwhile: nobody can tell whose words the old ones held.
    anew = window.summaries_since not in ("", session.summaries_since)
    if anew or permit.erasures != erasures or not is_unerased(permit, session, window.ids, taken):
        raise ErasureInProgress(_("What this answer was made of is being erased. Nothing was saved; ask again."))


def is_unerased(permit: Permit, session: Session, messages: Collection[UUID], taken: Sequence[PromptCandidate]) -> bool:
    """Whether what others said in a group is still stored unchanged: its ``messages``, and the memories ``taken``.

    In private everything is the user's own, and their erasures are counted instead.
    """
    if session.group_id is None:
        return True
    words = sessions.are_unchanged(messages, session.turn_started_at) and _still_hold_text(taken)
    return words and are_still_stored(
        permit, session, [candidate for candidate in taken if candidate.kind == "profile"]
    )


def _still_hold_text(taken: Sequence[PromptCandidate]) -> bool:
    """Whether the taken events still hold the text that stood in the prompt: an erasure may remove one sentence."""
    shown = [candidate for candidate in taken if candidate.kind == "event"]
    now = canonical_texts([event.id for event in shown])
    return all(event.id in now and sanitize(now[event.id]).text == event.text for event in shown)
