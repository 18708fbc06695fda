"""Composes a portrait from memories: a line for each statement in force that can be read alone. Pure.

If one statement of a section says what another does and more, its line stands for both. Two statements in conflict are
one line with the dates of both. A plan is left out from the day after the last date that it names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final
from uuid import UUID, uuid5

from foundation.language import cjk_characters
from foundation.lexicon import read_lexicon
from foundation.text import tokenize
from memory.evolution.comparison import is_core_of
from memory.evolution.slots import STATEMENT, holds_several, value_key
from memory.portraits.line_eligibility import is_eligible, last_day_named
from memory.portraits.line_resolution import MOST_PARTS
from memory.portraits.sections import ANSWERS, HEALTH, MONEY, PLANS, SECTIONS, WORK, names_health, section_of
from memory.portraits.types import LineSource, PortraitLine

_WORDS: Final = read_lexicon(__file__)

MOST_OF_SECTION: Final = 12
"""The most lines of one section: a portrait is read at a glance, and every memory has its own page."""

_GUARDS: Final = frozenset({"allergy", "diet.avoids", "diet"})
"""Slots about health that protect the user in every recommendation, and need no confirmation."""
_NO_LINE: Final = frozenset({"past", "visited", "not_visited", "activity", "note", "correction"})
_NO_LINE_TYPES: Final = frozenset({"summary", "agent_experience"})
_WEAK_WORDS: Final = frozenset(
    tokenize("likes loves enjoys prefers especially really also very much their a an the of to is and")
)
_WEAK_ZH: Final = _WORDS.of("zh").pattern("weak")
_TURNED: Final = frozenset(
    tokenize(
        "dislikes hates avoids afraid used former formerly stopped quit ended plans wants 讨厌 害怕 曾经 戒掉 以前"
    )
)
"""Words that reverse a meaning: two statements that differ in one do not say the same."""
_REWORDED: Final = (
    (re.compile(r"^Learning or training: "), "Learning: "),
    (re.compile(r"^Likes especially "), "Especially likes "),
)


@dataclass(frozen=True, slots=True)
class PortraitStatement:
    """A memory item in force, as a portrait sees it.

    ``is_confirmed`` is true if the user stated or confirmed it on purpose.
    """

    id: UUID
    chain: UUID
    content: str
    said_at: datetime
    is_confirmed: bool = False
    memory_type: str = ""
    epistemic_type: str = ""
    category: str = ""
    slot: str = ""
    value: str = ""
    messages: tuple[UUID, ...] = ()


def compose_lines(
    statements: Iterable[PortraitStatement],
    conflicts: Mapping[UUID, UUID],
    today: date,
    left_out: Collection[UUID] = (),
) -> tuple[PortraitLine, ...]:
    """Compose the lines of these statements, section by section, the latest first.

    ``conflicts`` maps the id of a statement to that of the older one that it may change. ``left_out`` are the chains of
    which the user wants no line.
    """
    shown = {
        statement.id: statement for statement in statements if statement.chain not in left_out and _may_stand(statement)
    }
    lines = [line for line in map(line_of, shown.values()) if not is_past_plan(line, today)]
    return _shorten(_without_duplicates(_with_conflicts(lines, shown, conflicts)))


def line_of(statement: PortraitStatement) -> PortraitLine:
    """The portrait line of a statement."""
    messages = (LineSource("message", key) for key in statement.messages)
    return PortraitLine(
        id=uuid5(statement.id, "portrait"),
        text=line_wording(statement.content),
        section=section_of(statement.content, statement.slot, statement.category),
        said_at=statement.said_at,
        sources=(LineSource("item", statement.id, statement.chain), *messages),
        slot=statement.slot,
        value=statement.value,
    )


def line_wording(content: str) -> str:
    """A statement's words as they stand in a portrait."""
    text = " ".join(content.split())
    for pattern, words in _REWORDED:
        text = pattern.sub(words, text)
    return text[:1].upper() + text[1:]


def is_past_plan(line: PortraitLine, today: date) -> bool:
    """Whether a line is a plan whose last date has passed."""
    day = last_day_named(line.text) if line.section == PLANS else None
    return day is not None and day < today


def without_restated(lines: Iterable[PortraitLine], by: Sequence[PortraitLine]) -> tuple[PortraitLine, ...]:
    """The lines that no other line covers in the same or more words."""
    others = [core_of(line.text) for line in by]
    return tuple(line for line in lines if not any(covers(other, core_of(line.text)) for other in others))


def covers(whole: frozenset[str], core: frozenset[str]) -> bool:
    """Whether a statement with the words ``whole`` says what one with the words ``core`` does."""
    return is_core_of(core, whole) and not (whole - core) & _TURNED


def core_of(text: str) -> frozenset[str]:
    """The index tokens that distinguish a statement from others of its kind."""
    words = frozenset(tokenize(_WEAK_ZH.sub("", value_key(text))))
    return words - _WEAK_WORDS or words


def _may_stand(statement: PortraitStatement) -> bool:
    if statement.memory_type in _NO_LINE_TYPES or statement.epistemic_type == "outdated":
        return False
    section = section_of(statement.content, statement.slot, statement.category)
    is_of_health = section == HEALTH or (section not in (WORK, MONEY) and names_health(statement.content))
    if is_of_health and not (statement.is_confirmed or statement.slot in _GUARDS):
        return False
    if statement.slot in _NO_LINE or (statement.epistemic_type == "opinion" and not statement.is_confirmed):
        return False
    free = statement.slot == STATEMENT and not statement.is_confirmed
    return is_eligible(statement.content, addressed=section == ANSWERS, free=free)


def _with_conflicts(
    lines: Iterable[PortraitLine], shown: Mapping[UUID, PortraitStatement], conflicts: Mapping[UUID, UUID]
) -> list[PortraitLine]:
    by_item = {line.sources[0].id: line for line in lines}
    for newer, older in conflicts.items():
        if newer in by_item and older in by_item:
            now, before = by_item[newer], by_item.pop(older)
            by_item[newer] = replace(
                now, id=uuid5(now.id, str(before.id)), text=_in_conflict(now, before), sources=(),
                parts=(now, before),
            )  # fmt: skip
    return list(by_item.values())


def _in_conflict(newer: PortraitLine, older: PortraitLine) -> str:
    """One line for two conflicting statements, with the days they were said on."""
    new, old = newer.text.rstrip(".。"), older.text.rstrip(".。")
    if cjk_characters(new):
        return f"{new}（{_day_zh(newer)}说），或者{old}（{_day_zh(older)}说）：尚未确定"
    return f"{new} (said on {_day_en(newer)}), or {old[:1].lower()}{old[1:]} (said on {_day_en(older)}): not settled"


def _day_en(line: PortraitLine) -> str:
    return f"{line.said_at.day} {line.said_at:%B %Y}"


def _day_zh(line: PortraitLine) -> str:
    return f"{line.said_at.year}年{line.said_at.month}月{line.said_at.day}日"


def _without_duplicates(lines: Iterable[PortraitLine]) -> list[PortraitLine]:
    """Let the line with the most words stand for the lines whose words it contains.

    The other lines become its parts, and each part is still erased only with its own sources.
    """
    widest_first = sorted(lines, key=lambda line: (-len(core_of(line.text)), -line.said_at.timestamp(), str(line.id)))
    kept: list[PortraitLine] = []
    cores: list[frozenset[str]] = []
    for line in widest_first:
        core = core_of(line.text)
        at = next((at for at, other in enumerate(cores) if covers(other, core)), None)
        if at is None:
            kept.append(line)
            cores.append(core)
        elif len(kept[at].leaves) < MOST_PARTS and line.section == kept[at].section:
            wider = kept[at]
            kept[at] = replace(wider, id=uuid5(wider.id, str(line.id)), sources=(), parts=(*wider.leaves, *line.leaves))
    return kept


def _shorten(lines: Iterable[PortraitLine]) -> tuple[PortraitLine, ...]:
    """The latest ``MOST_OF_SECTION`` lines of each section, in the order of the sections."""
    ordered = sorted(
        lines, key=lambda line: (_section_order(line), _rank(line), -line.said_at.timestamp(), str(line.id))
    )
    seen: Counter[str] = Counter()
    found: list[PortraitLine] = []
    for line in ordered:
        seen[line.section] += 1
        if seen[line.section] <= MOST_OF_SECTION:
            found.append(line)
    return tuple(found)


def _section_order(line: PortraitLine) -> int:
    return SECTIONS.index(line.section)


def _rank(line: PortraitLine) -> int:
    """The rank of a line: the name first, then slots of one value such as the home, then slots of many."""
    if line.slot == "name":
        return 0
    return 1 if line.slot and not holds_several(line.slot) else 2
