"""Turns a request for work into a research task, or into an answer that says why there is none.

No model is asked. The task is decided before the turn is stored, and queued with it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.conf import settings

from consent.permit import Permit
from finclaw.brain.answers.types import RuleAnswer
from finclaw.brain.boundary import BoundaryRefused
from finclaw.brain.material.reading import sentences
from finclaw.brain.material.subject import find_object, has_topic, refers_back, speaks_of
from finclaw.brain.research.antecedents import named_object
from finclaw.brain.research.services import refuse_acting_draft
from finclaw.brain.routing_parameters import USUAL_ROUTING, RoutingParameters
from finclaw.brain.skills.permissions import skill_access_of
from finclaw.brain.skills.selection import choose_skill
from finclaw.brain.skills.types import Skill
from finclaw.brain.skills.wording import SkillTextKey, describe_started, phrase
from finclaw.brain.types import Intent
from finclaw.brain.understanding.aliases import AliasGroup, asset_in
from finclaw.brain.understanding.work_requests import request_sentence
from foundation.accounts.models import User
from foundation.ids import new_id
from foundation.language import (
    Language,
    ParsedMessage,
    normalize,
)
from foundation.lexicon import read_lexicon
from foundation.llm import Message
from foundation.outbox.jobs import handlers
from memory.models import Route, Session, Thread
from memory.research.asset_names import canonical_name
from memory.research.threads import threads_of
from memory.research.types import CognitionObject, TaskDraft

_WORDS: Final = read_lexicon(__file__)

_POINTS_BACK: Final = _WORDS.pattern("points_back")
_WORK_WORDS: Final = _WORDS.pattern("work_words")
# A colon with at least eight characters of material behind it.
_SAYS_MORE: Final = re.compile(r"[:：]\s*\S.{7}", re.DOTALL)


@dataclass(frozen=True)
class SkillRequest:
    """A request for work with its surroundings.

    ``names`` are the organisation's own, ``recent`` the messages before it, oldest first. ``asks_to_act`` marks a
    request to act in the market.
    """

    message: ParsedMessage
    intent: Intent
    session: Session
    names: Collection[AliasGroup]
    asks_to_act: bool
    recent: Sequence[Message] = ()
    language: Language = "en"
    routing: RoutingParameters = USUAL_ROUTING


def answer_request(permit: Permit, user: User, request: SkillRequest) -> RuleAnswer:
    """The answer to a request for work. Call acting for the user."""
    if request.asks_to_act:
        return _refusal(request.language)
    return replace(_decide_answer(permit, user, request), language=request.language)


def _decide_answer(permit: Permit, user: User, request: SkillRequest) -> RuleAnswer:
    access = skill_access_of(user)
    choice = choose_skill(request.intent, request.message, access, available_tools(), request.routing)
    if choice.skill is None:
        return RuleAnswer(phrase(request.language, "not_covered"))
    if not request.session.remember:
        return _declined(request, choice.skill, "temporary")
    return _answer_for_skill(permit, request, choice.skill)


def available_tools() -> frozenset[str]:
    """The tools skills may depend on: the outbox topics that a worker of this installation handles."""
    return frozenset(handlers())


def _answer_for_skill(permit: Permit, request: SkillRequest, skill: Skill) -> RuleAnswer:
    thread = _find_thread(permit, request, must_find=skill.name == Route.THREAD_REFRESH)
    if thread is None and skill.name == Route.THREAD_REFRESH:
        return _declined(request, skill, "which_thread")
    prompt = request.message.text if thread else _task_prompt(request)
    if not prompt:
        return _declined(request, skill, "which_object")
    draft = TaskDraft(skill.name, prompt, thread_id=thread.pk if thread else None, id=new_id())
    try:
        refuse_acting_draft(draft)
    except BoundaryRefused:
        return _refusal(request.language)
    name = _work_title(request, thread, prompt)
    return RuleAnswer(describe_started(request.language, skill.name, name), skill.name, draft)


def _declined(request: SkillRequest, skill: Skill, key: SkillTextKey) -> RuleAnswer:
    """The answer that says why a skill that was asked for is not started."""
    return RuleAnswer(phrase(request.language, key), requested_skill=skill.name, failure=key)


def _work_title(request: SkillRequest, thread: Thread | None, prompt: str) -> str:
    """What the work is called. A group is not told the titles of a member's own threads."""
    if thread is None:
        about = _object_before(request, prompt) or find_object(prompt, request.names)
        return canonical_name(about, request.language, request.names)
    return phrase(request.language, "own_thread") if request.session.group_id else thread.title


def _object_before(request: SkillRequest, prompt: str) -> CognitionObject | None:
    """The object that a prompt without one of its own takes from the conversation; never from other members' words."""
    if request.session.group_id or not refers_back(prompt, request.names):
        return None
    said = (message.content for message in reversed(request.recent) if message.role == "user")
    return next(filter(None, (named_object(text, request.names) for text in said)), None)


def _refusal(language: Language) -> RuleAnswer:
    return RuleAnswer(phrase(language, "boundary"), is_refusal=True)


def _find_thread(permit: Permit, request: SkillRequest, *, must_find: bool) -> Thread | None:
    """The open thread that is meant: one that the message names where a thread is required, else the conversation's.

    A request without an object means the conversation's thread, or the only one there is; in a group only the
    conversation's, whose title its members may read.
    """
    if request.session.thread_id is None and (request.session.group_id or not must_find):
        return None
    still_open = list(threads_of(permit).filter(state=Thread.State.OPEN))
    here = [thread for thread in still_open if thread.pk == request.session.thread_id]
    considered = still_open if must_find and request.session.group_id is None else here
    found = [thread for thread in considered if _is_named(thread, request)]
    if not found and not _has_object(request):
        found = here or considered
    return found[0] if len(found) == 1 else None


def _has_object(request: SkillRequest) -> bool:
    """Whether the request itself says what it is about."""
    return _names_something(request) or has_topic(
        _WORK_WORDS.sub(" ", request_sentence(request.message)), request.names
    )


def _is_named(thread: Thread, request: SkillRequest) -> bool:
    if speaks_of(request.message.text, thread.object_name, request.names):
        return True
    return normalize(thread.title) in request.message.normalized


def _task_prompt(request: SkillRequest) -> str:
    """The task's prompt: the message and, where it only points back, what the user said before it; "" where there is
    nothing to point at.
    """
    says_more = len(sentences(request.message.text)) > 1 or _SAYS_MORE.search(request.message.text)
    if says_more or not _POINTS_BACK.search(request_sentence(request.message)) or _names_something(request):
        return request.message.text
    # In a group the earlier messages may be other members'.
    said = [
        message.content for message in request.recent if message.role == "user" and request.session.group_id is None
    ]
    whole = "\n".join([*said[-1:], request.message.text])
    return whole if said and len(whole) <= settings.MAX_MESSAGE_CHARS else ""


def _names_something(request: SkillRequest) -> bool:
    return bool(asset_in(request.message.text, request.names) or request.intent.extracted_entities.get("tickers"))
