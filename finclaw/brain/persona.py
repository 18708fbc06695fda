"""How the assistant speaks in a turn: reads the user's reply style with the memories, builds the persona, stores it
with the reply.

The persona is layers 2 to 4 of the prompt. Where memory cannot be read, the persona documents alone apply.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final

from django.utils import timezone

from consent.permit import Permit
from consent.sensitive.services import screen_text
from finclaw.brain.prompt.layers import PromptParts
from finclaw.brain.recall.overruled_statements import KNOWLEDGE_CONFLICT
from finclaw.brain.skills.permissions import permitted_skills, whitelist_of
from finclaw.brain.skills.types import SkillAccess
from finclaw.brain.skills.wording import describe_offered
from finclaw.brain.types import Assembly, CandidateDecision, Intent, PromptCandidate, with_positions
from foundation.accounts.models import User
from foundation.language import Language
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SafeText, SanitizationResult, SanitizedText
from foundation.text import estimate_tokens
from knowledge.member_access import org_of
from knowledge.types import Snippet
from memory.evolution import style_preferences
from memory.evolution.rule_analyzer import analyze
from memory.evolution.types import Utterance
from memory.models import ConversationEvent, MemoryItem, Session
from personas.acknowledgement import acknowledgement, with_memory_notice
from personas.configuration import configured_persona
from personas.message_wishes import language_named
from personas.prompt_layers import build_persona_context
from personas.role_tone import role_tone
from personas.services import states, telemetry
from personas.services.documents import FIELD, documents_for, names_allowed_in
from personas.services.preferences import preferences_of
from personas.services.turn_inputs import read_persona_inputs
from personas.services.write_back import forget_signs, write_back_wishes
from personas.types import (
    Acknowledgement,
    MessageWishes,
    ModeChange,
    PersonaContext,
    PersonaText,
    PersonaTexts,
    Preference,
    PreferenceKey,
    PreferenceSignal,
    RoleTone,
)

TOLD: Final = "confidence"
"""The receipt's reason for a learned preference: the user stated it, or showed it often, so every answer follows it."""
LANGUAGE: Final[PreferenceKey] = "reply_language"
Provenance = MemoryItem.Provenance


@dataclass(frozen=True)
class ReplyStyle:
    """How the user wants to be answered, as read for one turn.

    ``change`` is what the message does to the mode; ``acknowledgement`` is the answer to a message that only says how
    to answer. ``org_tier`` is "" and ``org_settings`` empty outside an organisation and in a group, whose members may
    belong to several; ``org_name`` is also "" without consent to a profile.
    """

    documents: PersonaTexts
    preferences: tuple[Preference, ...]
    change: ModeChange
    signals: tuple[PreferenceSignal, ...] = ()
    org_tier: str = ""
    role: str = ""
    org_settings: Mapping[str, Any] = field(default_factory=dict)
    acknowledgement: Acknowledgement | None = None
    org_name: str = ""


@dataclass(frozen=True)
class TurnPersona:
    """The persona of one turn: its prompt layers, what is stored with the reply, and the receipt's decisions on
    preferences.
    """

    context: PersonaContext
    change: ModeChange
    signals: tuple[PreferenceSignal, ...] = ()
    decisions: tuple[CandidateDecision, ...] = ()


def read_reply_style(
    permit: Permit, user: User, session: Session, inferred: MessageWishes, *, was_read: bool = True
) -> ReplyStyle:
    """Read the user's reply style. Call in a transaction acting for the user; ``was_read`` tells whether memory could
    be read.

    Nothing said in a group changes how the user is answered elsewhere.
    """
    found = read_persona_inputs(permit, user, session, learned=was_read)
    change = states.plan_mode_change(permit, found.stored_mode, session, inferred, found.preferences)
    if session.group_id is not None:
        told = _acknowledgement(inferred, change, may_last=False)
        return ReplyStyle(found.documents, (), change, inferred.signals, acknowledgement=told)
    may_last = session.remember and permit.may_learn and configured_persona().write_back
    told = _acknowledgement(inferred, change, may_last=may_last)
    return ReplyStyle(
        found.documents,
        found.preferences,
        change,
        inferred.signals,
        found.org_tier,
        user.role,
        found.org_settings,
        told,
        found.org_name,
    )


def _acknowledgement(inferred: MessageWishes, change: ModeChange, *, may_last: bool) -> Acknowledgement | None:
    return acknowledgement(inferred, change, can_choose=configured_persona().dynamic_modes, may_last=may_last)


def with_reply_style(parts: PromptParts, reply_style: ReplyStyle, candidates: Iterable[PromptCandidate]) -> PromptParts:
    """The parts with the reply language and, for a message that only says how to answer, the acknowledgement."""
    language = reply_language(reply_style, parts.context, candidates)
    skills = describe_skills(reply_style)
    told = reply_style.acknowledgement
    if told is not None and parts.may_learn and _learns_style(parts.message):
        told = with_memory_notice(told)
    return replace(parts, reply_language=language, acknowledgement=told, skills=skills)


def describe_skills(reply_style: ReplyStyle) -> SafeText:
    """The skills the user may ask for, in words for the model; "" in a group, whose members may differ."""
    access = SkillAccess(reply_style.role, reply_style.org_tier, whitelist_of(reply_style.org_settings))
    return describe_offered(permitted_skills(access))


def _learns_style(text: str) -> bool:
    """Whether memory also keeps the reply style that a message asks for."""
    wishes = [wish for wish in analyze(Utterance(text, "", timezone.now())) if style_preferences.is_style(wish)]
    return style_preferences.may_be_learned() and any(not style_preferences.is_for_now(wish, text) for wish in wishes)


def reply_language(
    reply_style: ReplyStyle, stated: Mapping[str, str], candidates: Iterable[PromptCandidate]
) -> Language | None:
    """The language requested in this conversation; else, unless the context ``stated`` one, the learned one.

    None leaves it to the stated language, and without one to that of the message.
    """
    if asked := dict(reply_style.change.after.wishes).get(LANGUAGE):
        return language_named(asked)
    if stated.get("language_preference"):
        return None
    told = [preference.value for preference in reply_style.preferences if preference.key == LANGUAGE]
    told += [
        candidate.text for candidate in candidates if candidate.slot == "language.reply" and _is_in_force(candidate)
    ]
    return next(filter(None, map(language_named, told)), None)


def build_persona(
    reply_style: ReplyStyle, snippets: Sequence[Snippet] = (), listed: Iterable[PromptCandidate] = ()
) -> TurnPersona:
    """The persona of a turn, from the reply style and the organisation's knowledge. Pure but for ``persona.yaml``.

    Memories in ``listed`` may enter the prompt by themselves: they are decided there, and get no decision here.
    """
    cleaned = [(preference, sanitize(preference.text)) for preference in reply_style.preferences]
    usable = [
        replace(preference, text=text.text)
        for preference, text in cleaned
        if text.result is not SanitizationResult.BLOCKED
    ]
    tone = role_tone(snippets, usable, org_tier=reply_style.org_tier, role=reply_style.role)
    context = build_persona_context(
        reply_style.documents, usable, reply_style.change.after, tone, cap=configured_persona().max_chars
    )
    elsewhere = {candidate.id for candidate in listed}
    decisions = [
        _preference_decision(preference, text, context, tone)
        for preference, text in cleaned
        if preference.memory_id not in elsewhere
    ]
    return TurnPersona(context, reply_style.change, reply_style.signals, tuple(with_positions(decisions, count(1))))


def without_persona_preferences(
    candidates: Iterable[PromptCandidate], reply_style: ReplyStyle, intent: Intent
) -> tuple[PromptCandidate, ...]:
    """The candidates without the preferences that the persona already states.

    A user who asks what is remembered gets those as memories too.
    """
    spoken_of = (
        {preference.memory_id for preference in reply_style.preferences}
        if intent.intent_type != "memory_check"
        else set()
    )
    return tuple(candidate for candidate in candidates if candidate.id not in spoken_of)


def with_preferences(assembly: Assembly, decisions: Sequence[CandidateDecision]) -> Assembly:
    """The assembly with the learned preferences before it, as they stand above it in the prompt."""
    above = sum(decision.accepted for decision in decisions)
    below = [
        replace(decision, position=(decision.position or 0) + above) if decision.accepted else decision
        for decision in assembly.decisions
    ]
    return replace(assembly, decisions=(*decisions, *below))


def store_persona(permit: Permit, session: Session, persona: TurnPersona, message: ConversationEvent) -> None:
    """Store the mode and the preferences that the message teaches, with the reply.

    A request that is taken back here teaches nothing, nor does what is said in a group. Call in a transaction acting
    for the user, after the message was recorded.
    """
    states.store_mode_change(permit, session, persona.change, message.pk)
    if persona.change.is_reset:
        forget_signs(permit, session)
    if persona.signals:
        in_group = session.group_id is not None
        write_back_wishes(permit, message, persona.signals, mode=persona.change.before, in_group=in_group)
    telemetry.context_built(session.pk, persona.context, persona.change.before)


def preview_persona(permit: Permit, user: User, body: str | None = None) -> PersonaContext:
    """The persona layers of a new conversation, without the safety policy and the organisation's facts.

    ``body`` stands in for the user's own text and is not stored. Call in a transaction acting for the user. Raises
    ``SensitiveInput`` for a body that could not be stored.
    """
    documents = documents_for(permit, user)
    if body is not None:
        text = screen_text(FIELD, body.strip(), names_allowed_in(user, body)).text
        documents = replace(documents, user=PersonaText("user", text))
    preferences = preferences_of(permit)
    state, org = states.initial_mode(preferences), org_of(user)
    tier = org.tier if org else ""
    return build_persona(ReplyStyle(documents, preferences, ModeChange(state.mode, state), (), tier, user.role)).context


def _is_in_force(candidate: PromptCandidate) -> bool:
    return not candidate.left_out and candidate.epistemic_type != "outdated"


def _preference_decision(
    preference: Preference, text: SanitizedText, context: PersonaContext, tone: RoleTone
) -> CandidateDecision:
    shown = preference.reference in context.sources
    candidate = replace(_preference_candidate(preference), sanitization=text.result.value, guardrail=text.rule)
    if text.result is SanitizationResult.BLOCKED:
        return CandidateDecision(candidate, shown, "blocked")
    if preference.key in tone.overruled:
        return CandidateDecision(replace(candidate, guardrail=KNOWLEDGE_CONFLICT), shown, "conflict")
    return CandidateDecision(candidate, shown, TOLD if shown else "budget_exceeded")


def _preference_candidate(preference: Preference) -> PromptCandidate:
    """A learned preference as a candidate for the receipt."""
    return PromptCandidate(
        kind="item",
        id=preference.id,
        text=preference.text,
        score=preference.confidence,
        tokens=estimate_tokens(preference.text),
        occurred_at=preference.updated_at,
        provenance=Provenance.ANALYSIS if preference.source == "repeated" else Provenance.CONFIRMED_BY_USER,
        epistemic_type=MemoryItem.EpistemicType.PREFERENCE,
        confidence=preference.confidence,
        memory_type=MemoryItem.MemoryType.PERSONA_PREFERENCE,
        said_in=preference.said_in,
    )
