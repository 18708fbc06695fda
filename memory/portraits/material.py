"""Reads the material of a portrait: memory items in force, and which of them are in conflict."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils import timezone

from consent.permit import Permit
from foundation.language import comparison_form
from memory.evolution import health_statements, style_preferences
from memory.evolution.slots import HOW_TO_ANSWER
from memory.models import MemoryItem
from memory.portraits.composition import PortraitStatement, line_wording
from memory.portraits.lines import chains_of, lines_holding
from memory.portraits.sections import names_health
from memory.portraits.types import EntityType, PortraitLine
from memory.services.conflicts import open_conflicts
from memory.services.item_queries import in_current_groups, items_in_use

MOST_STATEMENTS: Final = 1_000
"""The most statements that a portrait is chosen from, those last learned or confirmed first."""
_MOST_SAID: Final = 2_000


@dataclass(frozen=True)
class Material:
    """The ``statements`` in force; ``conflicts`` pairs the id of a newer one with the older one that it may change."""

    statements: tuple[PortraitStatement, ...]
    conflicts: tuple[tuple[UUID, UUID], ...]


def material_of(permit: Permit, entity_type: EntityType, entity_id: UUID) -> Material:
    """The material of the user's own portrait, or of their part of a group's. Call while acting for them.

    For a group it is what they said there, without anything about their health, because other members read it.
    """
    items = items_in_use(permit).in_force(timezone.now())
    if entity_type == "group":
        items = items.filter(group_id=entity_id)
    latest = in_current_groups(permit, items.order_by("-last_validated_at", "-id")[:MOST_STATEMENTS])
    conflicts = tuple((conflict.newer.pk, conflict.older.pk) for conflict in open_conflicts(permit))
    return Material(tuple(_portrait_statement(item) for item in latest if _may_be_shown(item, entity_type)), conflicts)


def _may_be_shown(item: MemoryItem, entity_type: EntityType) -> bool:
    labels = (item.category, item.slot)
    if entity_type == "group" and (health_statements.SLOT in labels or names_health(item.content)):
        return False
    return item.slot not in HOW_TO_ANSWER or style_preferences.may_be_learned()


def _portrait_statement(item: MemoryItem) -> PortraitStatement:
    return PortraitStatement(
        id=item.pk,
        chain=item.chain_id,
        content=item.content,
        said_at=item.valid_at,
        is_confirmed=item.provenance == MemoryItem.Provenance.CONFIRMED_BY_USER,
        memory_type=item.memory_type,
        epistemic_type=item.epistemic_type,
        category=item.category,
        slot=item.slot,
        value=item.value,
        messages=item.message_ids,
    )


def contents_of_all_items(permit: Permit) -> list[str]:
    """The contents of the user's items, in force or not, the latest ``_MOST_SAID``."""
    items = MemoryItem.objects.owned_by(permit.user_id).order_by("-created_at", "-id")
    return list(items.values_list("content", flat=True)[:_MOST_SAID])


def lines_still_true(lines: Iterable[PortraitLine], user_id: UUID) -> tuple[PortraitLine, ...]:
    """The user's lines without those whose memory is no longer in force or has new words; in one query.

    A portrait is rebuilt a moment after a memory changes; until then this hides its outdated lines.
    """
    told = tuple(lines)
    chains = chains_of(told)
    if not chains:
        return told
    contents = MemoryItem.objects.contents_in_force(user_id, chains, timezone.now())
    known = {(chain, comparison_form(line_wording(content))) for chain, content in contents}
    return lines_holding(told, lambda leaf: _is_known(leaf, known))


def _is_known(leaf: PortraitLine, known: Collection[tuple[UUID, str]]) -> bool:
    chains = chains_of([leaf])
    return leaf.stated or not chains or any((chain, comparison_form(leaf.text)) in known for chain in chains)
