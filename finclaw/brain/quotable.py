"""Whether an answer may still be stored that others' words stood before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from consent.permit import Permit
from finclaw.brain.portraits import still_hold
from finclaw.brain.types import Candidate
from memory.models import Session
from memory.services import sessions
from memory.services.events import are_there


def is_quotable(permit: Permit, session: Session, messages: Collection[UUID], taken: Sequence[Candidate]) -> bool:
    """Whether what others said in a group is still there: in its ``messages``, and in what was remembered of it.

    In private all is one's own: one's erasures are counted.
    """
    if session.group_id is None:
        return True
    events = [one.id for one in taken if one.kind == "event"]
    words = sessions.keep_their_words(messages) and are_there(events)
    return words and still_hold(permit, session, [one for one in taken if one.kind == "profile"])
