"""Carries out what a rule-made answer announces, or rewords the answer where that is no longer possible."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from consent.exceptions import LearningStopped, ResearchStopped
from consent.permit import Permit
from finclaw.brain.answers.types import RuleAnswer
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


def carry_out_action(permit: Permit, user: User, rule_answer: RuleAnswer, runs: list[ToolRun]) -> RuleAnswer:
    """Queue the announced task or store the announced correction, in the transaction that stores the turn; how it went
    is added to ``runs``.

    Where the thread was closed or forgotten meanwhile, the skill is no longer offered, or the memory was replaced,
    nothing is done and the answer says so. Raises whatever else ``create_research_task`` and ``write_observation``
    raise.
    """
    if not rule_answer.action:
        return rule_answer
    with measure_run(runs, ToolReceipt.Kind.SKILL, rule_answer.action) as run:
        done = _do_or_say_why(permit, user, rule_answer)
        if done.failure:
            run.refuse(done.failure)
        return done


def _do_or_say_why(permit: Permit, user: User, rule_answer: RuleAnswer) -> RuleAnswer:
    try:
        with transaction.atomic():
            if rule_answer.draft is not None:
                create_research_task(permit, user, rule_answer.draft)
            if rule_answer.correction is not None:
                memory_id, content = rule_answer.correction
                MEMORY.write_observation(permit, Observation(content, replaces=memory_id))
    except ResearchStopped:
        return _answer_instead(rule_answer, "research_stopped")
    except LearningStopped:
        text = self_wording.phrase("learning_stopped", rule_answer.language)
        return replace(rule_answer, text=text, correction=None, failure="learning_stopped")
    except SkillNotPermitted:
        return _answer_instead(rule_answer, "not_covered")
    except (NotFound, ThreadClosed):
        if rule_answer.correction is not None:
            return replace(
                rule_answer, text=self_wording.phrase("gone", rule_answer.language), correction=None, failure="gone"
            )
        return _answer_instead(rule_answer, "which_thread")
    return rule_answer


def _answer_instead(rule_answer: RuleAnswer, key: SkillTextKey) -> RuleAnswer:
    return replace(rule_answer, text=phrase(rule_answer.language, key), skill=None, draft=None, failure=key)
