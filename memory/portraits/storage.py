"""Reads and stores portrait rows, each change with its revision and its search entry."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from consent.permit import Permit
from consent.querysets import last_version_query
from consent.services import scope_held_since
from foundation.accounts.models import ChatGroup, User
from foundation.database.bulk_insert import columns_of
from foundation.personal_data import ConsentScope
from foundation.telemetry.memory_operations import report_deleted, report_written
from memory.indexing.documents import portrait_document
from memory.indexing.embedding import index_now
from memory.models import EntityProfile, SearchEntry
from memory.models.profiles import CURRENT_MAKING
from memory.portraits.lines import to_json
from memory.portraits.markdown import latest_event_id, render_markdown, tags_of
from memory.portraits.types import EntityType, PortraitLine


def own_rows(permit: Permit, entity_type: EntityType, entity_id: UUID) -> QuerySet[EntityProfile]:
    """The user's own row of an entity's portrait: one or none."""
    return EntityProfile.objects.filter(user_id=permit.user_id, entity_type=entity_type, entity_id=entity_id)


def in_force(permit: Permit, rows: QuerySet[EntityProfile]) -> QuerySet[EntityProfile]:
    """The rows without the user's own from before a withdrawal, which no later grant brings back."""
    since = scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING)
    return rows.exclude(user_id=permit.user_id, consent_version__lt=since)


def own_in_force(permit: Permit) -> list[EntityProfile]:
    """The user's own portrait if its consent is still in force, as in ``in_force``: one row or none, in one query."""
    return list(EntityProfile.objects.raw(_OWN_IN_FORCE, {"user": permit.user_id}))


# Plain SQL, as it runs for every prompt: the ORM takes longer to build the query than PostgreSQL to run it.
_OWN_IN_FORCE = f"""
    SELECT {columns_of(EntityProfile)} FROM memory_entityprofile
    WHERE user_id = %(user)s AND entity_type = 'user' AND tombstone_id IS NULL
      AND consent_version > ({last_version_query(ConsentScope.MEMORY_LEARNING, "%(user)s")})
"""  # noqa: S608  our own columns


def current_row(permit: Permit, entity_type: EntityType, entity_id: UUID) -> EntityProfile | None:
    """The row to continue, if there is one. Call while holding the permit.

    A row from before a withdrawal of consent is deleted at once, even if its purge is due later: no later grant
    restores it.
    """
    row = own_rows(permit, entity_type, entity_id).first()
    if row is not None and row.consent_version < scope_held_since(permit.user_id, ConsentScope.MEMORY_LEARNING):
        SearchEntry.objects.filter(pk=row.pk).delete()
        row.delete()
        report_deleted("entity_profile", permit.consent_id)
        return None
    return row


def blank_row(user: User, entity_type: EntityType, entity_id: UUID) -> EntityProfile:
    """A new row, not stored yet."""
    group = ChatGroup.objects.get(pk=entity_id) if entity_type == "group" else None
    return EntityProfile(
        entity_type=entity_type,
        entity_id=entity_id,
        user=user,
        group=group,
        name=group.name if group else user.name,
        revision=0,
    )


def store_revision(
    permit: Permit,
    row: EntityProfile,
    lines: Sequence[PortraitLine],
    change: str,
    restored_revision: int | None = None,
    left_out: Collection[UUID] | None = None,
) -> None:
    """Store these lines as the row's next revision and index them. Call while holding the permit.

    ``left_out`` replaces the chains and events of which the user wants no line.
    """
    for name, value in derived_columns(row, lines).items():
        setattr(row, name, value)
    if left_out is not None:
        row.left_out = sorted(left_out)
    row.made_by = CURRENT_MAKING
    row.revision += 1
    row.change = change
    row.restored_revision = restored_revision
    row.consent_version = permit.version
    row.save()
    _prune(row)
    reindex(row)
    report_written("entity_profile", permit.consent_id)


def mark_as_made(permit: Permit, row: EntityProfile) -> None:
    """Record that a portrait was made in the present way, without storing a revision."""
    row.made_by = CURRENT_MAKING
    if row._state.adding:
        row.consent_version = permit.version
        row.change = EntityProfile.Change.LEARNED
        EntityProfile.objects.bulk_create([row])
    else:
        EntityProfile.objects.filter(pk=row.pk).update(made_by=CURRENT_MAKING)


def derived_columns(row: EntityProfile, lines: Sequence[PortraitLine]) -> dict[str, Any]:
    """Every column that is derived from a row's lines."""
    return {
        "lines": to_json(lines),
        "body": render_markdown("group" if row.entity_type == EntityProfile.EntityType.GROUP else "user", lines),
        "tags": tags_of(lines),
        "source_event_id": latest_event_id(lines),
    }


def former_revisions(row: EntityProfile) -> QuerySet[Any]:
    """The versions before the one in force, the latest first."""
    kept: QuerySet[Any] = EntityProfile.history.filter(id=row.pk, user_id=row.user_id, revision__lt=row.revision)
    return kept.order_by("-revision")


def reindex(row: EntityProfile) -> None:
    """Index the row by its present lines, or remove its entry without any."""
    if row.lines:
        index_now([portrait_document(row)])
    else:
        SearchEntry.objects.filter(pk=row.pk).delete()


def _prune(row: EntityProfile) -> None:
    surplus = list(former_revisions(row).values_list("pk", flat=True)[settings.PROFILE_REVISIONS_KEPT :])
    if surplus:
        EntityProfile.history.filter(pk__in=surplus).delete()
