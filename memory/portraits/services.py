"""Shows, edits, restores and searches portraits, under row-level security, acting for the permit's user.

A group's portrait is the union of what its present members contributed; each member edits, restores and erases their
own part. A portrait that the reader may not see is treated as if it did not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.sensitive.services import screen_text
from consent.services import hold_permit
from foundation.accounts.groups import group_ids_of, is_member
from foundation.accounts.models import Membership, User
from foundation.exceptions import NotFound, ValidationFailed, require_found
from foundation.personal_data import ConsentScope
from memory.kinds import PORTRAIT, require_shown
from memory.models import EntityProfile
from memory.portraits import storage
from memory.portraits.composition import is_past_plan
from memory.portraits.lines import from_json, origins_of
from memory.portraits.manual_edits import edited_lines
from memory.portraits.markdown import latest_event_id, parse_markdown, render_markdown, tags_of
from memory.portraits.material import lines_still_true
from memory.portraits.types import (
    Contribution,
    EntityType,
    PortraitHit,
    PortraitLine,
    PortraitRevision,
    PortraitSearchResult,
    PortraitView,
)
from memory.retrieval.services import EmbeddedQuery, search_each
from memory.types import SearchQuery

Change = EntityProfile.Change


def portrait_of(permit: Permit, entity_type: EntityType, entity_id: UUID) -> PortraitView | None:
    """The user's own portrait, or that of a group they belong to; None where there is nothing to see."""
    view = portrait_even_if_emptied(permit, entity_type, entity_id)
    return view if view is not None and view.body else None


def portrait_even_if_emptied(permit: Permit, entity_type: EntityType, entity_id: UUID) -> PortraitView | None:
    """The same as ``portrait_of``, also where the user has emptied the portrait."""
    rows = _visible(permit, entity_type, entity_id)
    return _build_view(permit, entity_type, entity_id, rows) if rows else None


def portraits_of(permit: Permit) -> list[PortraitView]:
    """Every portrait the user may see: their own first, then those of their groups, the latest joined first."""
    own = portrait_of(permit, "user", permit.user_id)
    groups = (portrait_of(permit, "group", group_id) for group_id in group_ids_of(permit.user_id))
    return [view for view in (own, *groups) if view is not None]


def revisions(permit: Permit, entity_type: EntityType, entity_id: UUID) -> list[PortraitRevision]:
    """Former versions of what the user may edit, the latest first: at most ``PROFILE_REVISIONS_KEPT``.

    Raises ``NotFound`` where they have no portrait of this entity.
    """
    return [_revision_of(row) for row in storage.former_revisions(_own_row(permit, entity_type, entity_id))]


def edit(permit: Permit, entity_type: EntityType, entity_id: UUID, body: str) -> PortraitView:
    """Replace the user's own lines by their Markdown, as a new revision.

    An unchanged line keeps its sources. A new line takes over the sources of each removed line with which it shares a
    word, and is erased with them. Raises ``NotFound`` for an entity that is not theirs, ``ConsentScopeMissing``,
    ``ConsentOutdated``, ``SensitiveInput``, ``KindWithheld`` where portraits are kept from the acting program, and
    ``ValidationFailed`` beyond ``PROFILE_MAX_CHARS``.
    """
    permit.require(ConsentScope.MEMORY_LEARNING)
    if len(body) > settings.PROFILE_MAX_CHARS:
        raise ValidationFailed(
            details={"body": [_("At most %(limit)d characters.") % {"limit": settings.PROFILE_MAX_CHARS}]}
        )
    with transaction.atomic():
        _hold_for_writing(permit, entity_type, entity_id)
        user = User.objects.get(pk=permit.user_id)
        written = parse_markdown(screen_text("body", body, [user.name]).text)
        row = storage.current_row(permit, entity_type, entity_id)
        before = _in_force(permit, row) if row else ()
        lines = edited_lines(before, written, user.name, timezone.now())
        row = row or storage.blank_row(user, entity_type, entity_id)
        storage.store_revision(permit, row, lines, Change.EDITED, left_out=_rejected_origins(row, before, lines))
        return _required(permit, entity_type, entity_id)


def rollback(permit: Permit, entity_type: EntityType, entity_id: UUID, revision: int | None = None) -> PortraitView:
    """Restore a former version of the user's own part, by default the one before, as a new revision.

    Raises ``NotFound`` for an entity that is not theirs, or a version that is not kept; what ``edit`` raises.
    """
    permit.require(ConsentScope.MEMORY_LEARNING)
    with transaction.atomic():
        _hold_for_writing(permit, entity_type, entity_id)
        row = storage.current_row(permit, entity_type, entity_id)
        former = list(storage.former_revisions(row)) if row else []
        wanted = next((candidate for candidate in former if revision in (None, candidate.revision)), None)
        if row is None or wanted is None:
            raise NotFound()
        lines = lines_still_true(from_json(wanted.lines), permit.user_id)
        left_out = _rejected_origins(row, _in_force(permit, row), lines)
        storage.store_revision(permit, row, lines, Change.ROLLED_BACK, wanted.revision, left_out)
        return _required(permit, entity_type, entity_id)


def _rejected_origins(row: EntityProfile, before: Iterable[PortraitLine], now: Iterable[PortraitLine]) -> set[UUID]:
    """The origins that no rebuild uses again: those of lines that the user removed, before or just now,
    less those of lines that stand again.
    """
    learned = origins_of(leaf for line in now for leaf in line.leaves if not leaf.stated)
    return (set(row.left_out) | origins_of(before)) - learned


def own_row_id(permit: Permit, entity_type: EntityType, entity_id: UUID) -> UUID:
    """The key of the row that the user may edit and forget, also of a group they have left. Raises ``NotFound``."""
    return _own_row(permit, entity_type, entity_id).pk


def search_portraits(
    permit: Permit,
    question: EmbeddedQuery,
    entity_type: EntityType | None = None,
    entity_id: UUID | None = None,
    top_k: int = 8,
    *,
    floored: bool = False,
) -> PortraitSearchResult:
    """The portraits that fit a question best, among those the user may see.

    Narrowed to a kind or to one entity where those are given; ``floored`` as in ``SearchQuery``. The question is
    embedded outside any transaction. Raises ``NotFound`` for an entity that is not theirs to see,
    ``MemoryUnavailable``.
    """
    reach = _groups_to_search(permit, entity_type, entity_id)
    queries = [
        SearchQuery(question.text, ("profile",), group_id=group, top_k=top_k, floored=floored) for group in reach
    ]
    found = search_each(permit, queries, question)
    best: dict[tuple[EntityType, UUID], PortraitHit] = {}
    for group, result in zip(reach, found, strict=True):
        kind: EntityType = "user" if group is None else "group"
        view = portrait_of(permit, kind, group or permit.user_id) if result.hits else None
        shown = {contribution.id for contribution in view.contributions} if view else set()
        scores = [hit.score for hit in result.hits if hit.id in shown]
        if view and scores:
            best[kind, view.entity_id] = PortraitHit(view, max(scores))
    hits = sorted(best.values(), key=lambda hit: hit.score, reverse=True)[:top_k]
    degraded = dict.fromkeys(reason for result in found for reason in result.degraded)
    return PortraitSearchResult(tuple(hits), tuple(degraded))


def _visible(permit: Permit, entity_type: EntityType, entity_id: UUID) -> list[EntityProfile]:
    """The rows a portrait is made of, the oldest first; of a group those of its present members."""
    if not permit.allows(ConsentScope.MEMORY_LEARNING) or not _may_see(permit, entity_type, entity_id):
        return []
    if entity_type == "user":
        return storage.own_in_force(permit)
    rows = storage.in_force(permit, EntityProfile.objects.filter(entity_type=entity_type))
    members = Membership.objects.filter(group_id=entity_id, left_at=None).values("user_id")
    found = rows.filter(group_id=entity_id, user_id__in=members).select_related("user")
    return list(found.order_by("created_at", "id"))


def _required(permit: Permit, entity_type: EntityType, entity_id: UUID) -> PortraitView:
    return require_found(portrait_even_if_emptied(permit, entity_type, entity_id))


def _may_see(permit: Permit, entity_type: EntityType, entity_id: UUID) -> bool:
    return entity_id == permit.user_id if entity_type == "user" else is_member(permit.user_id, entity_id)


def _build_view(
    permit: Permit, entity_type: EntityType, entity_id: UUID, rows: Sequence[EntityProfile]
) -> PortraitView:
    held = {row.pk: _in_force(permit, row) for row in rows}
    signed = {row.pk: [_signed(line, row) for line in held[row.pk]] for row in rows}
    lines = _without_duplicates(line for row in rows for line in signed[row.pk])
    own_first = sorted((row for row in rows if held[row.pk]), key=lambda row: row.user_id != permit.user_id)
    own = next((row for row in rows if row.user_id == permit.user_id), None)
    latest = max(rows, key=lambda row: row.updated_at)
    return PortraitView(
        entity_type=entity_type,
        entity_id=entity_id,
        name=latest.name,
        tags=tuple(tags_of(lines)),
        body=render_markdown(entity_type, lines),
        updated_at=latest.updated_at,
        source_event_id=latest_event_id(lines),
        contributions=tuple(_contribution_of(entity_type, row, signed[row.pk]) for row in own_first),
        own=_contribution_of(entity_type, own, held[own.pk]) if own else None,
    )


def _in_force(permit: Permit, row: EntityProfile) -> tuple[PortraitLine, ...]:
    """The row's lines without past plans, and of the reader's own lines those still true.

    Other members' lines are not checked, because the reader cannot see their memories. A change of those rebuilds the
    portrait a moment later.
    """
    today = timezone.now().date()
    lines = tuple(line for line in from_json(row.lines) if not is_past_plan(line, today))
    return lines_still_true(lines, permit.user_id) if row.user_id == permit.user_id else lines


def _contribution_of(entity_type: EntityType, row: EntityProfile, lines: Sequence[PortraitLine]) -> Contribution:
    return Contribution(row.pk, row.user_id, render_markdown(entity_type, lines), row.revision, tuple(lines))


def _signed(line: PortraitLine, row: EntityProfile) -> PortraitLine:
    """A line of a group's portrait, with its member's name in front if it does not contain that."""
    if row.group_id is None or row.user.name.casefold() in line.text.casefold():
        return line
    return replace(line, text=f"{row.user.name}: {line.text}")


def _without_duplicates(lines: Iterable[PortraitLine]) -> list[PortraitLine]:
    return list({line.text: line for line in lines}.values())


def _own_row(permit: Permit, entity_type: EntityType, entity_id: UUID) -> EntityProfile:
    row = storage.in_force(permit, storage.own_rows(permit, entity_type, entity_id)).first()
    if row is None or not permit.allows(ConsentScope.MEMORY_LEARNING):
        raise NotFound()
    return row


def _hold_for_writing(permit: Permit, entity_type: EntityType, entity_id: UUID) -> None:
    hold_permit(permit)
    if not _may_see(permit, entity_type, entity_id):
        raise NotFound()
    require_shown(PORTRAIT)


def _revision_of(row: EntityProfile) -> PortraitRevision:
    return PortraitRevision(
        revision=row.revision,
        body=row.body,
        tags=tuple(row.tags),
        change=row.change,
        restored_revision=row.restored_revision,
        source_event_id=row.source_event_id,
        updated_at=row.updated_at,
    )


def _groups_to_search(permit: Permit, entity_type: EntityType | None, entity_id: UUID | None) -> list[UUID | None]:
    """The groups whose portraits are searched; None stands for the user's own. Raises ``NotFound``."""
    groups = list(group_ids_of(permit.user_id))
    if entity_id is None:
        return [*([] if entity_type == "group" else [None]), *([] if entity_type == "user" else groups)]
    if entity_id == permit.user_id and entity_type in (None, "user"):
        return [None]
    if entity_id in groups and entity_type in (None, "group"):
        return [entity_id]
    raise NotFound()
