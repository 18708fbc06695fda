"""A portrait as Markdown, and Markdown as the lines of a portrait (seed D §2.3). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from consent.export.records import as_markdown
from foundation.text import cjk_share
from memory.historian.canonical import CHINESE_SHARE
from memory.profiles.types import EntityType, Line, ProfileView

TRAITS, PREFERENCES, CONSTRAINTS, GOALS, RECENT = "traits", "preferences", "constraints", "goals", "recent"
SECTIONS: Final = (TRAITS, PREFERENCES, CONSTRAINTS, GOALS, RECENT)
"""Seed D §2.3: stable traits, preferences, constraints, current goals; and what a rule can put under none of them."""

MAX_HEADING_CHARS: Final = 60
MOST_TAGS: Final = 8
_TAG_CHARS: Final = 30  # what is longer is a clause, and labels nothing
_HEADINGS: Final = {
    "en": dict(zip(SECTIONS, ("Stable traits", "Preferences", "Constraints", "Current goals", "Lately"), strict=True)),
    "zh": dict(zip(SECTIONS, ("稳定特征", "偏好", "约束", "近期目标", "近况"), strict=True)),
}
_TITLES: Final = {
    ("user", "en"): "User portrait",
    ("user", "zh"): "用户侧写",
    ("group", "en"): "Group portrait",
    ("group", "zh"): "群聊侧写",
}
_SECTION_OF: Final = {heading.lower(): key for names in _HEADINGS.values() for key, heading in names.items()}
_HEADING = re.compile(r"(#{1,6}) (\S.*)")
_BULLET = re.compile(r"(?:[-*+•]|(?<!\d)\d++[.)]) ")
_RULE = re.compile(r"[-*_]{3,}")


class Written(NamedTuple):
    """A line as somebody wrote it, under a heading."""

    section: str
    text: str


def rendered(entity_type: EntityType, lines: Sequence[Line]) -> str:
    """The body: a title, and under each heading its lines; "" without any. In the language that most of it is in."""
    if not lines:
        return ""
    language = "zh" if cjk_share("".join(line.text for line in lines)) >= CHINESE_SHARE else "en"
    parts = [f"# {_TITLES[entity_type, language]}"]
    for section in _in_order(lines):
        bullets = [f"- {line.text}" for line in lines if line.section == section]
        parts.append("\n".join([f"## {_HEADINGS[language].get(section, section)}", *bullets]))
    return "\n\n".join(parts)


def parsed(body: str) -> list[Written]:
    """The lines of a body, bullets and paragraphs alike, each once. Before any heading a line is a trait."""
    section, found = TRAITS, dict[str, Written]()
    for raw in body.splitlines():
        text = " ".join(raw.split())
        if heading := _HEADING.fullmatch(text):
            section = _section(heading, section)
        elif text and not _RULE.fullmatch(text):
            text = _BULLET.sub("", text, count=1)
            found.setdefault(text, Written(section, text))
    return list(found.values())


def tags_of(lines: Iterable[Line]) -> list[str]:
    """What the lines are about, the latest first: the values that rules found in them."""
    latest = sorted((leaf for line in lines for leaf in line.leaves), key=lambda leaf: leaf.said_at, reverse=True)
    values = dict.fromkeys(leaf.value for leaf in latest if 0 < len(leaf.value) <= _TAG_CHARS)
    return list(values)[:MOST_TAGS]


def latest_event_id(lines: Iterable[Line]) -> str:
    """``request_id:end_seq`` of the latest event behind the lines, "" without any."""
    sourced = [leaf for line in lines for leaf in line.leaves if leaf.sources]
    latest = max(sourced, key=lambda leaf: leaf.said_at, default=None)
    return latest.sources[-1].event_id if latest else ""


def markdown_of(view: ProfileView) -> str:
    """The portrait under its YAML front matter, as seed D §2.3 has it."""
    return as_markdown(
        {
            "entity_type": view.entity_type,
            "entity_id": view.entity_id,
            "name": view.name,
            "tags": list(view.tags),
            "updated_at": view.updated_at,
            "source_event_id": view.source_event_id,
            "body": view.body,
        }
    ).decode()


def _in_order(lines: Iterable[Line]) -> list[str]:
    """The sections that have lines: ours in their order, then a person's own as they come."""
    present = dict.fromkeys(line.section for line in lines)
    return [one for one in SECTIONS if one in present] + [one for one in present if one not in SECTIONS]


def _section(heading: re.Match[str], current: str) -> str:
    """A title names no section."""
    if len(heading[1]) == 1:
        return current
    return _SECTION_OF.get(heading[2].lower(), heading[2][:MAX_HEADING_CHARS])
