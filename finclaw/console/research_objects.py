"""Renders research objects on admin pages, as plain text under headings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from memory.models import Checkpoint, Refresh, Snapshot
from memory.research.training_candidates import ResearchObject

_FIRST_WORDS_CHARS: Final = 120
_SECTIONS: Final[Mapping[type[ResearchObject], Sequence[tuple[str, Promise]]]] = {
    Snapshot: (
        ("object_name", _("About")),
        ("main_thesis", _("The thesis")),
        ("evidence", _("Evidence")),
        ("counter_thesis", _("The other side")),
        ("invalidators", _("What would end it")),
        ("told", _("What the user had told before")),
        ("watch_questions", _("Questions to watch")),
        ("data_quality_note", _("How good the data is")),
    ),
    Refresh: (
        ("thesis_before", _("The thesis before")),
        ("change_summary", _("What changed")),
        ("changed_inferences", _("Changed inferences")),
    ),
    Checkpoint: (
        ("decision", _("The decision, in the user's words")),
        ("conditions", _("To be settled first")),
        ("risks", _("Risks")),
        ("invalidators", _("What would end it")),
        ("told", _("What the user had told before")),
        ("data_quality_note", _("How good the data is")),
    ),
}


def render_object(made: ResearchObject) -> SafeString:
    """All non-empty parts of an object; for a refresh also those of the snapshot that it led to."""
    sections = [*_filled_sections(made), *(_filled_sections(made.snapshot) if isinstance(made, Refresh) else [])]
    parts = ((title, _as_list(lines)) for title, lines in sections)
    return format_html_join("", "<h3>{}</h3><blockquote><ul>{}</ul></blockquote>", parts)


def first_words(made: ResearchObject) -> str:
    """The beginning of an object's thesis, change or decision, on one line."""
    said = {Snapshot: "main_thesis", Refresh: "change_summary", Checkpoint: "decision"}[type(made)]
    return Truncator(getattr(made, said)).chars(_FIRST_WORDS_CHARS)


def summary_of(made: ResearchObject) -> str:
    """What an object is about, where it or its thread is named, and its first words."""
    return " · ".join(filter(None, (_name_of(made), first_words(made))))


def _name_of(made: ResearchObject) -> str:
    return made.object_name if isinstance(made, Snapshot) else made.thread.object_name if made.thread else ""


def _filled_sections(made: ResearchObject) -> Iterator[tuple[Promise, list[str]]]:
    for name, title in _SECTIONS[type(made)]:
        value = getattr(made, name)
        lines = [_line_of(entry) for entry in value] if isinstance(value, list) else [value]
        if any(lines):
            yield title, [line for line in lines if line]


def _line_of(entry: str | Mapping[str, str]) -> str:
    """A sentence, a statement's text, or a changed inference."""
    if isinstance(entry, str):
        return entry
    return entry["text"] if "text" in entry else f"{entry['before'] or '–'} → {entry['after'] or '–'}"


def _as_list(lines: Sequence[str]) -> SafeString:
    return format_html_join("", "{}", ((format_html("<li>{}</li>", line),) for line in lines))
