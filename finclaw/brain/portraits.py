"""The portraits that stand in every prompt: in private one's own, in a group the group's (seed D §4.1, M-45).

A group is never shown a member's own portrait, though seed D injects both: it holds what was said in private, and the
answer is read by all. What the member told the group is in the group's.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from uuid import UUID

from django.conf import settings

from consent.permit import Permit
from finclaw.brain.prompt import element_tokens
from finclaw.brain.types import PromptCandidate
from foundation.sanitization.services import sanitize_lines
from memory.models import Session
from memory.profiles.services import profile_of
from memory.profiles.types import Contribution, EntityType, ProfileView


def load_portraits(permit: Permit, session: Session) -> tuple[PromptCandidate, ...]:
    """What the conversation's portrait says, a candidate for each person whose words it holds; own words first."""
    if not settings.COGNITIVE_ENABLED:
        return ()
    view = profile_of(permit, *_portrait_entity(permit, session))
    return portrait_candidates(view) if view else ()


def portrait_candidates(view: ProfileView) -> tuple[PromptCandidate, ...]:
    """A candidate for each person whose words the portrait holds, whole, ranked in that order."""
    return tuple(
        _contribution_candidate(view, contribution, 1 / number)
        for number, contribution in enumerate(view.contributions, 1)
    )


def are_still_stored(permit: Permit, session: Session, used: Collection[PromptCandidate]) -> bool:
    """Whether every line of these portraits is still there. One query, and none without any."""
    if not used:
        return True
    view = profile_of(permit, *_portrait_entity(permit, session))
    contributions = view.contributions if view else ()
    now = {part.id: set(sanitize_lines(part.body).text.splitlines()) for part in contributions}
    return all(set(candidate.text.splitlines()) <= now.get(candidate.id, set()) for candidate in used)


def _portrait_entity(permit: Permit, session: Session) -> tuple[EntityType, UUID]:
    return ("user", permit.user_id) if session.group_id is None else ("group", session.group_id)


def _contribution_candidate(view: ProfileView, contribution: Contribution, score: float) -> PromptCandidate:
    whole = PromptCandidate(
        "profile", contribution.id, contribution.body.strip(), score, 0, view.updated_at, category=view.entity_type
    )
    return replace(whole, tokens=element_tokens(whole))
