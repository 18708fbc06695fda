"""Merges memories that say the same into one, which names them all and can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.utils import timezone

from consent.permit import Permit
from memory.confidence import PROVENANCE_RANK, combined_confidence
from memory.evolution.slots import STATEMENT
from memory.governance.similarity import find_clusters
from memory.governance.thresholds import Thresholds
from memory.governance.usage_figures import UsageFigures
from memory.models import EvolutionEvent, MemoryItem
from memory.services import versions
from memory.services.comparable_items import comparable_items
from memory.services.history import Actor, record_change, undone_changes
from memory.services.item_queries import in_current_groups, items_in_use
from memory.services.versions import ItemDraft

RULE = "consolidation"
ANALYSIS = MemoryItem.Provenance.ANALYSIS


def consolidate(permit: Permit, thresholds: Thresholds) -> list[UUID]:
    """Merge items where at least ``consolidate_from`` say the same; returns the new items.

    Items of a merge that the user undid are left alone. Raises ``ConsentScopeMissing``, ``ConsentOutdated``,
    ``ErasureInProgress``.
    """
    with versions.learning_transaction(permit):
        undone = undone_changes(permit, EvolutionEvent.Action.MERGED)
        parted = {key for event in undone for key in event.inputs.get("merged", ())}
        open_items = in_current_groups(
            permit, items_in_use(permit).exclude(epistemic_type=MemoryItem.EpistemicType.OUTDATED)
        )
        crowded = _crowded([item for item in open_items if str(item.pk) not in parted], thresholds.consolidate_from)
        rows = {item.pk: item for item in crowded}
        found = find_clusters(comparable_items(crowded), thresholds)
        return [
            merge(permit, [rows[member.id] for member in same.members], rule=RULE, similarity=same.similarity).pk
            for same in found
        ]


def merge(permit: Permit, sources: Sequence[MemoryItem], *, rule: str, similarity: float | None = None) -> MemoryItem:
    """Replace ``sources`` by one item in the words of the first. Call while holding the permit.

    The new item is valid from the earliest ``valid_at`` among the sources, which are closed at the same instant.
    """
    now = timezone.now()
    for source in sources:
        row = versions.lock_open(source)
        versions.close_version(row, at=row.valid_at, state=versions.State.SUPERSEDED, now=now, is_restated=True)
    merged = versions.store_version(
        permit, _draft_merged(sources, rule), now=now, valid_at=min(source.valid_at for source in sources)
    )
    MemoryItem.objects.filter(pk__in=[source.pk for source in sources]).update(superseded_by=merged)
    merged = versions.change_fields(
        merged,
        last_validated_at=max(source.last_validated_at for source in sources),
        injection_count=sum(source.injection_count for source in sources),
        positive_count=sum(source.positive_count for source in sources),
        correction_count=sum(source.correction_count for source in sources),
    )
    _record_merge(permit, merged, sources, rule, similarity)
    return merged


def combined_provenance(provenances: Sequence[str]) -> str:
    """The provenance of a merged item: analysis, or the user's own confirmation where a source has it."""
    return max((ANALYSIS.value, *provenances), key=lambda provenance: PROVENANCE_RANK.get(provenance, 0))


def _crowded(items: Sequence[MemoryItem], at_least: int) -> list[MemoryItem]:
    """The items with enough others in their slot, so that most users' vectors need not be read."""
    slots = Counter(_slot_key(item) for item in items)
    return [item for item in items if slots[_slot_key(item)] >= at_least]


def _slot_key(item: MemoryItem) -> tuple[object, ...]:
    told = item.attributes
    said = told.get("value") if told.get("slot") == STATEMENT else None  # compared by exact words only
    return item.group_id, told.get("subject"), told.get("slot"), said


def _draft_merged(sources: Sequence[MemoryItem], rule: str) -> ItemDraft:
    core = sources[0]
    provenance = combined_provenance([source.provenance for source in sources])
    return ItemDraft(
        content=core.content,
        memory_type=core.memory_type,
        epistemic_type=core.epistemic_type,
        provenance=provenance,
        confidence=combined_confidence([source.confidence for source in sources], provenance),
        category=core.category,
        attributes=core.attributes,
        source_sessions=tuple(sorted({key for source in sources for key in source.source_sessions})),
        group_id=core.group_id,
        detail={
            "rule": rule,
            "change": "merged",
            "merged_from": [str(source.pk) for source in sources],
            "message_ids": sorted({str(key) for source in sources for key in source.message_ids}),
        },
    )


def _record_merge(
    permit: Permit, merged: MemoryItem, sources: Sequence[MemoryItem], rule: str, similarity: float | None
) -> None:
    record_change(
        permit,
        merged,
        EvolutionEvent.Action.MERGED,
        Actor.GOVERNOR,
        rule,
        inputs={
            "merged": [source.pk for source in sources],
            "created": True,
            **UsageFigures.of(merged).as_inputs(),
            "confidences": [source.confidence for source in sources],
            "similarity": similarity and round(similarity, 4),
        },
        after={"confidence": merged.confidence, "provenance": merged.provenance},
    )
