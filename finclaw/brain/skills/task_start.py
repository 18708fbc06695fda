"""What was announced is queued with its turn; what cannot be done any more is said instead."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from consent.permit import Permit
from finclaw.brain.research.services import ask_for
from finclaw.brain.skills.dispatch import OwnAnswer
from finclaw.brain.skills.permissions import SkillNotPermitted
from finclaw.brain.skills.wording import Key, say
from foundation.accounts.models import User
from foundation.exceptions import NotFound
from memory.exceptions import ThreadClosed


def start(permit: Permit, user: User, own: OwnAnswer) -> OwnAnswer:
    """Queue what an answer announces, in the transaction that stores its turn.

    A thread that was closed or forgotten meanwhile, or work that is offered no longer, changes the answer: nothing is
    queued, and it says so. Raises what else ``ask_for`` raises.
    """
    if own.draft is None:
        return own
    try:
        with transaction.atomic():
            ask_for(permit, user, own.draft)
    except (NotFound, ThreadClosed):
        return _instead(own, "which_thread")
    except SkillNotPermitted:
        return _instead(own, "not_covered")
    return own


def _instead(own: OwnAnswer, key: Key) -> OwnAnswer:
    return replace(own, text=say(own.language, key), skill=None, draft=None)
