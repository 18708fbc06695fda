"""Loads the portrait (what is known of somebody, as a text) for every prompt: the user's own, in a group the group's.

A group is never shown a member's own portrait: it holds what was said in private, and every member reads the answer.
What the member told the group stands in the group's portrait.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from uuid import UUID

from django.conf import settings

from consent.permit import Permit
from finclaw.brain.prompt.memory_lines import memory_tokens
from finclaw.brain.types import PromptCandidate
from foundation.sanitization.services import sanitize_lines
from memory.models import Session
from memory.portraits.services import portrait_of
from memory.portraits.types import Contribution, EntityType, PortraitView


def load_portraits(permit: Permit, session: Session) -> tuple[PromptCandidate, ...]:
    """One candidate for each contributor to the conversation's portrait; the user's own contribution first."""
    if not settings.COGNITIVE_ENABLED:
        return ()
    view = portrait_of(permit, *_portrait_entity(permit, session))
    return portrait_candidates(view) if view else ()


def portrait_candidates(view: PortraitView) -> tuple[PromptCandidate, ...]:
    """One candidate for each contributor to the portrait, whole, in the order of the contributions."""
    return tuple(
        _contribution_candidate(view, contribution, 1 / number)
        for number, contribution in enumerate(view.contributions, 1)
    )


def are_still_stored(permit: Permit, session: Session, used: Collection[PromptCandidate]) -> bool:
    """Whether every line of these portraits is still stored. One query; none without portraits."""
    if not used:
        return True
    view = portrait_of(permit, *_portrait_entity(permit, session))
    contributions = view.contributions if view else ()
    now = {part.id: set(sanitize_lines(part.body).text.splitlines()) for part in contributions}
    return all(set(candidate.text.splitlines()) <= now.get(candidate.id, set()) for candidate in used)


def _portrait_entity(permit: Permit, session: Session) -> tuple[EntityType, UUID]:
    return ("user", permit.user_id) if session.group_id is None else ("group", session.group_id)


def _contribution_candidate(view: PortraitView, contribution: Contribution, score: float) -> PromptCandidate:
    whole = PromptCandidate(
        "profile", contribution.id, contribution.body.strip(), score, 0, view.updated_at, category=view.entity_type
    )
    return replace(whole, tokens=memory_tokens(whole))
