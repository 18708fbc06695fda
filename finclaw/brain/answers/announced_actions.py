"""Carries out what a rule-made answer announces, or rewords the answer where that is no longer possible."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from consent.exceptions import LearningStopped, ResearchStopped
from consent.permit import Permit
from finclaw.brain.answers.types import OwnAnswer
from finclaw.brain.measured_runs import measure_run
from finclaw.brain.research.services import create_research_task
from finclaw.brain.self_questions import wording as self_wording
from finclaw.brain.skills.permissions import SkillNotPermitted
from finclaw.brain.skills.wording import SkillTextKey, phrase
from foundation.accounts.models import User
from foundation.exceptions import NotFound
from memory.core import MEMORY, Observation
from memory.exceptions import ThreadClosed
from memory.models import ToolReceipt
from memory.types import ToolRun


def carry_out(permit: Permit, user: User, own: OwnAnswer, runs: list[ToolRun]) -> OwnAnswer:
    """Queue the announced task or store the announced correction, in the transaction that stores the turn; how it went
    is added to ``runs``.

    Where the thread was closed or forgotten meanwhile, the skill is no longer offered, or the memory was replaced,
    nothing is done and the answer says so. Raises whatever else ``create_research_task`` and ``write_observation``
    raise.
    """
    if not own.action:
        return own
    with measure_run(runs, ToolReceipt.Kind.SKILL, own.action) as run:
        done = _do_or_say_why(permit, user, own)
        if done.not_done:
            run.refuse(done.not_done)
        return done


def _do_or_say_why(permit: Permit, user: User, own: OwnAnswer) -> OwnAnswer:
    try:
        with transaction.atomic():
            if own.draft is not None:
                create_research_task(permit, user, own.draft)
            if own.correction is not None:
                memory_id, content = own.correction
                MEMORY.write_observation(permit, Observation(content, replaces=memory_id))
    except ResearchStopped:
        return _answer_instead(own, "research_stopped")
    except LearningStopped:
        text = self_wording.phrase("learning_stopped", own.language)
        return replace(own, text=text, correction=None, not_done="learning_stopped")
    except SkillNotPermitted:
        return _answer_instead(own, "not_covered")
    except (NotFound, ThreadClosed):
        if own.correction is not None:
            return replace(own, text=self_wording.phrase("gone", own.language), correction=None, not_done="gone")
        return _answer_instead(own, "which_thread")
    return own


def _answer_instead(own: OwnAnswer, key: SkillTextKey) -> OwnAnswer:
    return replace(own, text=phrase(own.language, key), skill=None, draft=None, not_done=key)
