"""Converts portraits between lines and Markdown. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from consent.export.row_formats import as_markdown
from foundation.language import (
    Language,
    language_of,
)
from memory.portraits.sections import ANSWERS, HEALTH, MONEY, PEOPLE, PLANS, SECTIONS, TASTES, WHO, WORK
from memory.portraits.types import EntityType, PortraitLine, PortraitView

MAX_HEADING_CHARS: Final = 60
MOST_TAGS: Final = 8
_TAG_CHARS: Final = 30  # a longer value is a clause and no label
_HEADINGS: Final = {
    "en": {
        WHO: "Person and daily life", WORK: "Work and study", PEOPLE: "People and pets", MONEY: "Money and positions",
        TASTES: "Tastes", ANSWERS: "How to answer", PLANS: "Plans", HEALTH: "Health and diet",
    },
    "zh": {
        WHO: "个人与日常", WORK: "工作与学业", PEOPLE: "身边的人和宠物", MONEY: "资金与持仓",
        TASTES: "喜好", ANSWERS: "怎么回答", PLANS: "计划", HEALTH: "健康与饮食",
    },
}  # fmt: skip
_TITLES: Final = {
    ("user", "en"): "User portrait",
    ("user", "zh"): "用户侧写",
    ("group", "en"): "Group portrait",
    ("group", "zh"): "群聊侧写",
}
_FORMER_HEADINGS: Final = {
    "Stable traits": WHO, "Preferences": TASTES, "Constraints": WHO, "Current goals": PLANS, "Lately": WHO,
    "稳定特征": WHO, "偏好": TASTES, "约束": WHO, "近期目标": PLANS, "近况": WHO,
}  # fmt: skip
_SECTION_OF: Final = {heading.lower(): key for heading, key in _FORMER_HEADINGS.items()} | {
    heading.lower(): key for names in _HEADINGS.values() for key, heading in names.items()
}
_HEADING = re.compile(r"(#{1,6}) (\S.*)")
_BULLET = re.compile(r"(?:[-*+•]|(?<!\d)\d++[.)]) ")
_RULE = re.compile(r"[-*_]{3,}")


class ParsedLine(NamedTuple):
    """A line as somebody wrote it, under a heading."""

    section: str
    text: str


def render_markdown(entity_type: EntityType, lines: Sequence[PortraitLine]) -> str:
    """The Markdown body: a title, and under each heading its lines; "" without lines.

    In the language of most lines.
    """
    if not lines:
        return ""
    language = language_of_lines(lines)
    parts = [f"# {_TITLES[entity_type, language]}"]
    for section, own in by_section(lines):
        bullets = [f"- {line.text}" for line in own]
        parts.append("\n".join([f"## {heading_of(section, language)}", *bullets]))
    return "\n\n".join(parts)


def language_of_lines(lines: Iterable[PortraitLine]) -> Language:
    """The language of most of what the lines say."""
    return language_of("\n".join(line.text for line in lines))


def heading_of(section: str, language: str) -> str:
    """The heading of a section; a section that the user added is its own heading."""
    return _HEADINGS[language].get(section, section)


def parse_markdown(body: str) -> list[ParsedLine]:
    """The distinct lines of a body, bullets and paragraphs alike.

    A line before any heading belongs to the section "who".
    """
    section, found = WHO, dict[str, ParsedLine]()
    for raw in body.splitlines():
        text = " ".join(raw.split())
        if heading := _HEADING.fullmatch(text):
            section = _section(heading, section)
        elif text and not _RULE.fullmatch(text):
            text = _BULLET.sub("", text, count=1)
            found.setdefault(text, ParsedLine(section, text))
    return list(found.values())


def by_section(lines: Sequence[PortraitLine]) -> list[tuple[str, list[PortraitLine]]]:
    """The sections that have lines, in their order, each with its lines."""
    return [(section, [line for line in lines if line.section == section]) for section in _in_order(lines)]


def tags_of(lines: Iterable[PortraitLine]) -> list[str]:
    """The values that rules found in the lines, the latest first."""
    latest = sorted((leaf for line in lines for leaf in line.leaves), key=lambda leaf: leaf.said_at, reverse=True)
    values = dict.fromkeys(leaf.value for leaf in latest if 0 < len(leaf.value) <= _TAG_CHARS)
    return list(values)[:MOST_TAGS]


def latest_event_id(lines: Iterable[PortraitLine]) -> str:
    """``request_id:end_seq`` of the latest event behind the lines; "" without any."""
    leaves = sorted((leaf for line in lines for leaf in line.leaves), key=lambda leaf: leaf.said_at, reverse=True)
    return next((source.event_id for leaf in leaves for source in reversed(leaf.sources) if source.event_id), "")


def markdown_of(view: PortraitView) -> str:
    """Render a portrait as Markdown under a YAML front matter."""
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


def _in_order(lines: Iterable[PortraitLine]) -> list[str]:
    """The sections that have lines: ours in their order, then the user's own as they come."""
    present = dict.fromkeys(line.section for line in lines)
    return [section for section in SECTIONS if section in present] + [
        section for section in present if section not in SECTIONS
    ]


def _section(heading: re.Match[str], current: str) -> str:
    """The section that a heading begins; the title of the whole portrait begins none."""
    if len(heading[1]) == 1:
        return current
    return _SECTION_OF.get(heading[2].lower(), heading[2][:MAX_HEADING_CHARS])
