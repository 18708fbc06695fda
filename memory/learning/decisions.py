"""Decides how a statement found in a message (a candidate) changes the known memories, by the rules of evolution."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.conf import settings

from consent.permit import Permit
from memory.evolution import quality_gateway
from memory.evolution.implicit_corrections import PrecedingMessage
from memory.evolution.resolution import (
    LikelyChange,
    changes_surely,
    decide,
    decide_named,
    is_open_to_change,
    with_change,
)
from memory.evolution.types import EvolutionDecision, KnownItem
from memory.learning.earlier_statements import likely_change
from memory.learning.extraction import EmbeddedCandidate
from memory.learning.item_lookup import is_plausible_match, matching_items, named_item, similar_items
from memory.models import ConversationEvent


@dataclass(frozen=True, slots=True)
class ReviewedDecision:
    """What to do about a candidate.

    ``doubt`` names the rule that makes it await the user's confirmation, "" for none; ``corrected`` are the items that
    it says were wrong, ``change`` the earlier statement that it most likely changes by its meaning.
    """

    decision: EvolutionDecision
    doubt: str
    corrected: tuple[KnownItem, ...]
    change: LikelyChange | None


def decide_candidate(
    permit: Permit, found: EmbeddedCandidate, event: ConversationEvent, since: int, before: PrecedingMessage
) -> ReviewedDecision | None:
    """Decide on one candidate against what is known; None where it is not kept.

    ``since`` is the consent version from which on memories may be used, ``before`` the user's preceding message.
    """
    candidate = found.candidate
    seen = matching_items(permit, candidate, since)
    corrected = before.corrected_by(candidate, seen)
    # Two statements of one message are no duplicates. But a model reads again what the rules have read, so its
    # candidates are compared with memories of the same message, too.
    earlier = seen if candidate.by_model else [item for item in seen if str(event.pk) not in item.said_in]
    decision = quality_gateway.without_duplicates(
        candidate, decide(candidate, seen, corrected), similar_items(found, earlier)
    )
    named, change = named_item(permit, candidate), None
    if named is not None:
        seen, decision = [*seen, named], decide_named(candidate, named)
    elif is_open_to_change(candidate, decision):
        change = likely_change(permit, found, event, since)
        decision = with_change(candidate, decision, change)
    if change and changes_surely(decision, change):
        candidate = replace(candidate, band="remember")
    if candidate.band == "ignore":
        return None
    doubt = quality_gateway.reason_to_review(candidate, decision, seen, settings.LEARNING_REVIEW_BELOW)
    if (
        named is not None
        and decision.action == "SUPERSEDE"
        and not doubt
        and not is_plausible_match(permit, found, named)
    ):
        doubt = "gateway.target"
    return ReviewedDecision(_until_confirmed(decision) if doubt else decision, doubt, tuple(corrected), change)


def _until_confirmed(decision: EvolutionDecision) -> EvolutionDecision:
    """The decision on a statement that awaits the user: what it would replace stays in force until they confirm it."""
    if decision.action == "SUPERSEDE":
        return EvolutionDecision("ADD", None, "waits for its person", replaces_if_confirmed=decision.target)
    if decision.action in ("RETIRE", "CONFIRM"):
        return EvolutionDecision("NONE", None, "waits for its person")
    return decision
