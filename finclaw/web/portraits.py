"""Template data of portraits: their lines by section, where each came from, and what a rollback would change."""

from __future__ import annotations

from dataclasses import asdict
from difflib import ndiff

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.permit import Permit
from finclaw.web.types import TemplateData
from foundation.accounts.groups import group_ids_of
from foundation.accounts.models import User
from foundation.personal_data import ConsentScope
from foundation.text import highlighted_pieces
from memory.models import EntityProfile
from memory.portraits.lines import from_json
from memory.portraits.markdown import by_section, heading_of, language_of_lines
from memory.portraits.origins import Origin, origins_of
from memory.portraits.types import Contribution, PortraitRevision, PortraitView

EXCERPT_LINES = 3
_HOW = {
    EntityProfile.Change.LEARNED: gettext_lazy("I learned something new"),
    EntityProfile.Change.EDITED: gettext_lazy("You changed it"),
    EntityProfile.Change.ROLLED_BACK: gettext_lazy("You went back to an earlier version"),
}
_MARKS = {"  ": "same", "- ": "gone", "+ ": "back"}


def show_excerpt(ref: str, body: str) -> TemplateData:
    """The first lines of a portrait and its address. ``ref`` is its type and entity, as ``user:<id>``."""
    return {"address": reverse("web:portrait", args=ref.split(":")), **_excerpt_lines(body)}


def show_card(view: PortraitView, query: str = "") -> TemplateData:
    """A portrait in the list; lines that match ``query`` first."""
    address = reverse("web:portrait", args=[view.entity_type, view.entity_id])
    return {
        "address": address,
        "name": portrait_title(view.entity_type, view.name),
        "is_group": view.entity_type == "group",
        "updated_at": view.updated_at,
        **_excerpt_lines(view.body, query),
    }


def show_left_behind(permit: Permit) -> list[TemplateData]:
    """The user's parts of portraits of groups that they have left: nobody else sees these, and they can erase them."""
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        return []
    rows = EntityProfile.objects.filter(user_id=permit.user_id, group__isnull=False)
    rows = rows.exclude(group_id__in=group_ids_of(permit.user_id))
    return [
        {"id": row.pk, "name": row.name, "updated_at": row.updated_at, **_excerpt_lines(row.body)}
        for row in rows.order_by("-updated_at")
    ]


def _excerpt_lines(body: str, query: str = "") -> TemplateData:
    lines = [_show_difference_line(line)["text"] for line in _comparable_lines(body) if not line.startswith("#")]
    if query:
        lines.sort(key=lambda line: not any(piece.is_match for piece in highlighted_pieces(line, query)))
    return {"excerpt": lines[:EXCERPT_LINES], "number_of_lines": len(lines)}


def portrait_title(entity_type: str, name: str) -> str:
    """The title of a portrait; the user's own has no name in it."""
    return _("You") if entity_type == "user" else name


def show_parts(permit: Permit, view: PortraitView) -> list[TemplateData]:
    """The portrait by contributor, the reader's own part first; a user's own has one part."""
    names = User.objects.in_bulk([part.user_id for part in view.contributions])
    return [_show_part(permit, view, part, names[part.user_id].name) for part in view.contributions]


def _show_part(permit: Permit, view: PortraitView, part: Contribution, name: str) -> TemplateData:
    """Section by section; in the reader's own part each line with where it came from."""
    mine = part.user_id == permit.user_id
    origins = origins_of(permit, part.lines) if mine else {}
    language = language_of_lines(part.lines)
    sections = [
        {
            "heading": heading_of(section, language),
            "lines": [
                {
                    "text": line.text,
                    "by_hand": line.stated,
                    "sources": list(map(_show_origin, origins.get(line.id, ()))),
                }
                for line in lines
            ],
        }
        for section, lines in by_section(part.lines)
    ]
    return {"sections": sections, "mine": mine, "who": _("you") if mine else name}


def _show_origin(origin: Origin) -> TemplateData:
    """The memory or event behind a line, with where to correct and forget it and its conversation."""
    page, forget = ("memory", "forget_memory") if origin.kind == "item" else ("event", "forget_event")
    return asdict(origin) | {
        "address": reverse(f"web:{page}", args=[origin.ref]),
        "forget_address": reverse(f"web:{forget}", args=[origin.ref]),
    }


def without_title(body: str) -> str:
    """A portrait's text without its title: the page has its own."""
    first, _rest, others = body.partition("\n")
    return others.lstrip() if first.startswith("# ") else body


def lines_from_event(permit: Permit, event_id: str) -> list[TemplateData]:
    """The lines of the user's own portraits, or parts of groups', that come from an event."""
    theirs = Q(group__isnull=True) | Q(group_id__in=group_ids_of(permit.user_id))
    rows = EntityProfile.objects.filter(theirs, user_id=permit.user_id)
    return [
        {
            "text": line.text,
            "by_hand": line.stated,
            "portrait": portrait_title(row.entity_type, row.name),
            "address": reverse("web:portrait", args=[row.entity_type, row.entity_id]),
        }
        for row in rows.order_by("created_at")
        for line in from_json(row.lines)
        if any(source.event_id == event_id for source in line.all_sources())
    ]


def show_versions(view: PortraitView | None, former: list[PortraitRevision]) -> list[TemplateData]:
    """Former versions of the reader's own part, latest first, each with what a rollback would change."""
    current = view.own.body if view and view.own else ""
    return [
        {
            "revision": revision.revision,
            "how": _HOW.get(EntityProfile.Change(revision.change), ""),
            "at": revision.updated_at,
            "difference": line_difference(current, revision.body),
        }
        for revision in former
    ]


def line_difference(now: str, then: str) -> list[TemplateData]:
    """The lines in one text and not in the other: ``gone`` after a rollback, or ``back``. Ignores empty lines and
    titles.
    """
    lines = ndiff(_comparable_lines(now), _comparable_lines(then))
    shown = [{"kind": _MARKS[line[:2]]} | _show_difference_line(line[2:]) for line in lines if line[:2] in _MARKS]
    return shown if any(line["kind"] != "same" for line in shown) else []


def _show_difference_line(line: str) -> TemplateData:
    return {"text": line.lstrip("#").removeprefix("- ").strip(), "heading": line.startswith("#")}


def plain_lines(body: str) -> list[str]:
    """The lines of a portrait without its title and Markdown marks."""
    return [_show_difference_line(line)["text"] for line in _comparable_lines(body)]


def _comparable_lines(body: str) -> list[str]:
    return [line for line in body.splitlines() if line.strip() and not line.startswith("# ")]
