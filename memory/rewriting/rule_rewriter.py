"""Rewrites texts without a model: by rules that make times, places and persons absolute.

They resolve what can be known from the event's clock, its location and its two speakers. "He", "we", "there" and other
words that point into the conversation stay, and are listed as unresolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from foundation.language import Language
from foundation.lexicon import read_lexicon
from memory.rewriting import times_en, times_zh
from memory.rewriting.absoluteness_checks import violations
from memory.rewriting.canonical_text import compose_text
from memory.rewriting.fillers import without_fillers
from memory.rewriting.persons import People, name_people
from memory.rewriting.places import name_places
from memory.rewriting.protected_spans import fixed_spans, merged, overlaps, preceded_by, quoted_spans
from memory.rewriting.time_phrases import Phrase
from memory.rewriting.timex.absolute_dates import absolute_spans
from memory.rewriting.timex.absolute_wording import worded_times
from memory.rewriting.types import Draft, EventClock, RewrittenTexts
from memory.rewriting.unresolved_times import open_times

_MOST_PASSES: Final = 3
"""Passes over a text: some expressions can be read only once the one beside them is absolute, "年底三天前"."""
_WORDS: Final = read_lexicon(__file__)

_RULES: Final[Mapping[Language, Sequence[tuple[re.Pattern[str], times_en.Resolver]]]] = {
    "zh": times_zh.RULES,
    "en": times_en.RULES,
}

_POINTING = _WORDS.pattern("pointing", re.IGNORECASE)
_PREPOSITION = _WORDS.of("en").pattern("preposition", re.IGNORECASE)
_BARE: Final = {"on": "", "in": "", "at": "", "at about": "about"}
"""What is left of a phrase's own preposition after another: "until around 8 May"."""
_POSSESSIVE = re.compile(r"['’]s\b")
_IS_SUBJECT = _WORDS.of("en").pattern("is_subject", re.IGNORECASE)
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+|\n\s*)$")


@dataclass(frozen=True, slots=True, order=True)
class _Replacement:
    start: int
    end: int
    words: str


def rewrite_by_rules(draft: Draft, clock: EventClock) -> RewrittenTexts:
    """Make both fields absolute and join them. A text that already is absolute comes back unchanged.

    Raises ``ZoneInfoNotFoundError`` for an unknown time zone, nothing else, whatever the texts.
    """
    sender, assistant = draft.sender_name, draft.assistant_name
    did_what, did = _absolute_with_resolved(draft.action_summary, clock, People(first=assistant, second=sender))
    new_info, new = _absolute_with_resolved(draft.new_info, clock, People(first=sender, second=assistant))
    text = compose_text(did_what, new_info, draft, clock.local.date(), clock.language)
    left = [*unresolved_in(did_what), *unresolved_in(new_info), *(found.text for found in violations(text))]
    return RewrittenTexts(
        did_what=did_what,
        new_info=new_info,
        canonical_text=text,
        unresolved=tuple(dict.fromkeys(left)),
        resolved=tuple(dict.fromkeys([*did, *new])),
    )


def with_absolute_times(text: str, clock: EventClock) -> str:
    """``text`` with "yesterday", "三年前" and their like as the days, months or years they were by ``clock``."""
    for _ in range(_MOST_PASSES):
        untouchable = merged(quoted_spans(text) + fixed_spans(text) + absolute_spans(text))
        if not (chosen := _without_overlaps(list(_time_replacements(text, clock, untouchable)))):
            break
        text = _apply(text, chosen)
    return text


def make_absolute(text: str, clock: EventClock, people: People) -> str:
    """A sentence with its times, places and persons named, as far as the clock and these people settle them.

    "You" stays where ``people.second`` is empty. What is absolute already comes back unchanged.
    """
    return _absolute_with_resolved(text, clock, people)[0]


def unresolved_in(text: str) -> list[str]:
    """The words of ``text`` that point at what only the conversation knew: "he", "那天", "on Friday"."""
    pointing = [match.group() for match in _POINTING.finditer(text)]
    return [*(violation.text for violation in violations(text)), *pointing, *open_times(text)]


def relative_times(text: str, clock: EventClock) -> list[str]:
    """The expressions of ``text`` that the rules of time could still resolve."""
    untouchable = merged(quoted_spans(text) + fixed_spans(text) + absolute_spans(text))
    return [
        text[item.start : item.end] for item in _without_overlaps(list(_time_replacements(text, clock, untouchable)))
    ]


def _absolute_with_resolved(text: str, clock: EventClock, people: People) -> tuple[str, list[tuple[str, str]]]:
    text, resolved = without_fillers(text), list[tuple[str, str]]()
    for _ in range(_MOST_PASSES):
        untouchable = merged(quoted_spans(text) + fixed_spans(text) + absolute_spans(text))
        wanted = [*_time_replacements(text, clock, untouchable), *_place_and_person_replacements(text, clock, people)]
        chosen = _without_overlaps([item for item in wanted if not overlaps(item.start, item.end, untouchable)])
        if not chosen:
            break
        resolved += [(text[item.start : item.end], item.words) for item in chosen]
        text = _apply(text, chosen)
    return text, resolved


def _apply(text: str, chosen: list[_Replacement]) -> str:
    """``text`` with these replacements, which are in order and do not overlap."""
    kept: list[str] = []
    read = 0
    for item in chosen:
        kept += [text[read : item.start], item.words]
        read = item.end
    return "".join([*kept, text[read:]])


def _time_replacements(text: str, clock: EventClock, untouchable: list[tuple[int, int]]) -> Iterator[_Replacement]:
    """Every expression of time in absolute words: in the clock's language, else in the expression's own."""
    for language, rules in _RULES.items():
        written = _in_chinese if (clock.language or language) == "zh" else _in_english
        for pattern, resolve in rules:
            for match in pattern.finditer(text):
                if not overlaps(*match.span(), untouchable) and (phrase := resolve(match, clock.local)):
                    yield written(text, *match.span(), phrase)
        for start, end, phrase in worded_times(text, clock.local, language):
            if not overlaps(start, end, untouchable):
                yield written(text, start, end, phrase)


def _in_chinese(_: str, start: int, end: int, phrase: Phrase) -> _Replacement:
    return _Replacement(start, end, phrase.chinese)


def _in_english(text: str, start: int, end: int, phrase: Phrase) -> _Replacement:
    """Fit a phrase into its sentence: "by tomorrow", "yesterday's talk", "Tomorrow is …"."""
    if phrase.attributive and (possessive := _POSSESSIVE.match(text, end)):
        return _Replacement(start, possessive.end(), f"the {phrase.attributive}")
    bare = preceded_by(_PREPOSITION, text, start) or _IS_SUBJECT.match(text, end)
    preposition = _BARE.get(phrase.preposition, phrase.preposition) if bare else phrase.preposition
    words = f"{preposition} {phrase.english}".strip()
    if preceded_by(_SENTENCE_START, text, start):
        words = words[:1].upper() + words[1:]
    return _Replacement(start, end, words)


def _place_and_person_replacements(text: str, clock: EventClock, people: People) -> Iterator[_Replacement]:
    for start, end, words in (*name_places(text, clock.location), *name_people(text, people)):
        yield _Replacement(start, end, words)


def _without_overlaps(found: list[_Replacement]) -> list[_Replacement]:
    """Leftmost first, the longer of two that start together."""
    chosen: list[_Replacement] = []
    for item in sorted(found, key=lambda item: (item.start, -item.end)):
        if not chosen or item.start >= chosen[-1].end:
            chosen.append(item)
    return chosen
