"""Queues the task that an answer announces, or changes the answer where it can no longer be done."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from consent.permit import Permit
from finclaw.brain.answers.dispatch import OwnAnswer
from finclaw.brain.research.services import create_research_task
from finclaw.brain.skills.permissions import SkillNotPermitted
from finclaw.brain.skills.wording import SkillTextKey, phrase
from foundation.accounts.models import User
from foundation.exceptions import NotFound
from memory.exceptions import ThreadClosed


def start_task(permit: Permit, user: User, own: OwnAnswer) -> OwnAnswer:
    """Queue the announced task in the transaction that stores its turn.

    Where the thread was closed or forgotten meanwhile, or the skill is no longer offered, nothing is queued and the
    answer says so. Raises what else ``create_research_task`` raises.
    """
    if own.draft is None:
        return own
    try:
        with transaction.atomic():
            create_research_task(permit, user, own.draft)
    except (NotFound, ThreadClosed):
        return _answer_instead(own, "which_thread")
    except SkillNotPermitted:
        return _answer_instead(own, "not_covered")
    return own


def _answer_instead(own: OwnAnswer, key: SkillTextKey) -> OwnAnswer:
    return replace(own, text=phrase(own.language, key), skill=None, draft=None)
