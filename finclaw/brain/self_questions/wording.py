"""The wording of answers about oneself, in both languages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, Literal

from django.urls import reverse
from django.utils import timezone

from finclaw.brain.self_questions.listing import (
    ListedStatement,
    QuotedListing,
    StatementListing,
    is_past,
    quote_listing,
)
from foundation.language import (
    Language,
)
from foundation.lexicon import read_lexicon
from memory.models import MemoryItem

AnswerKey = Literal[
    "everything",
    "topic",
    "nothing",
    "nothing_temporary",
    "nothing_of_topic",
    "off",
    "stopped",
    "learning_stopped",
    "unsure",
    "more",
    "more_unsure",
    "all",
    "older",
    "group",
    "told",
    "added",
    "picked_up",
    "concluded",
    "not_sure",
    "past",
    "since",
    "source",
    "source_page",
    "which",
    "which_wrong",
    "what_is_right",
    "correct_page",
    "corrected",
    "gone",
    "forget_preview",
    "forget_it",
    "forget_all",
    "forget_page",
]
_WORDS: Final = read_lexicon(__file__)
_SENTENCES: Final = _WORDS.by_language("sentences")
_LINKS: Final = _WORDS.by_language("links")
_TOPICS: Final = _WORDS.by_language("topics")
_HEADINGS: Final = _WORDS.by_language("headings")


def phrase(key: AnswerKey, language: Language, **values: object) -> str:
    """A fixed sentence of the answers, with ``values`` filled in."""
    return str(_SENTENCES[language][key]).format(**values)


def link(label: str, name: str, *arguments: object) -> str:
    """A Markdown link to one of the pages."""
    return f"[{label}]({reverse(name, args=arguments)})"


def describe_day(at: datetime, language: Language) -> str:
    """A day in the user's time zone, in words."""
    day = timezone.localtime(at)
    return f"{day.year}年{day.month}月{day.day}日" if language == "zh" else f"{day.day} {day:%b %Y}"


def compose_answer(
    listing: StatementListing, language: Language, *, in_group: bool, may_learn: bool
) -> tuple[str, QuotedListing]:
    """The whole answer, and the statements it quotes."""
    shown = quote_listing(listing)
    if listing.is_empty:
        return _nothing_known(listing, language, may_learn=may_learn), shown
    lines = [_opening_line(listing, language)]
    headed = len(shown.sections) > 1
    for name, entries, more in shown.sections:
        lines += [f"\n{_HEADINGS[language][name]}"] if headed else []
        lines += [f"- {describe_statement(entry, language)}" for entry in entries]
        lines += [f"- {link(phrase('more', language, count=more), 'web:memories')}"] if more else []
    lines += _unsure_lines(shown, language)
    if listing.goes_on:
        lines.append("\n" + phrase("older", language, all=link(phrase("all", language), "web:memories")))
    if in_group:
        lines.append("\n" + phrase("group", language))
    return "\n".join(lines), shown


def describe_statement(entry: ListedStatement, language: Language) -> str:
    """A statement with its source, date and certainty."""
    notes = [phrase(_source_key(entry.item), language, day=describe_day(entry.item.valid_at, language))]
    notes += [] if entry.is_sure else [phrase("not_sure", language)]
    notes += [phrase("past", language)] if is_past(entry) else []
    text = " ".join(entry.text.split()).rstrip("。.")
    return f"{text}（{'，'.join(notes)}）" if language == "zh" else f"{text} ({', '.join(notes)})"


def describe_source(item: MemoryItem, language: Language) -> str:
    """Where a statement comes from, and since when."""
    return phrase(_source_key(item), language, day=describe_day(item.valid_at, language))


def describe_topic(topics: Sequence[str], named: str, language: Language) -> str:
    """The topics of a question, in words."""
    if named:
        return f"你的{named}" if language == "zh" else f"your {named}"
    return _join_words([_TOPICS[language][topic] for topic in topics], language)


def _opening_line(listing: StatementListing, language: Language) -> str:
    if not listing.topics and not listing.named:
        return phrase("everything", language)
    return phrase("topic", language, topic=describe_topic(listing.topics, listing.named, language))


def _nothing_known(listing: StatementListing, language: Language, *, may_learn: bool) -> str:
    if listing.is_stopped:
        return phrase("stopped", language, all=link(phrase("all", language), "web:memories"))
    if not listing.may_be_read:
        return phrase("off", language, privacy=link(_linked_page("privacy", language), "web:privacy"))
    if listing.topics or listing.named:
        topic = describe_topic(listing.topics, listing.named, language)
        return phrase("nothing_of_topic", language, topic=topic, all=link(phrase("all", language), "web:memories"))
    if not may_learn:
        return phrase("nothing_temporary", language)
    return phrase("nothing", language, add=link(_linked_page("add", language), "web:memories"))


def _unsure_lines(shown: QuotedListing, language: Language) -> list[str]:
    if not shown.unsure:
        return []
    lines = ["\n" + phrase("unsure", language, review=link(_linked_page("review", language), "web:unsure"))]
    lines += [f"- {' '.join(entry.text.split())}" for entry in shown.unsure]
    more = phrase("more_unsure", language, count=shown.unsure_more)
    return [*lines, f"- {link(more, 'web:unsure')}"] if shown.unsure_more else lines


def _source_key(item: MemoryItem) -> AnswerKey:
    if item.provenance == MemoryItem.Provenance.ANALYSIS:
        return "concluded"
    if item.provenance == MemoryItem.Provenance.OBSERVATION:
        return "picked_up"
    return "told" if item.provenance_detail.get("message_ids") else "added"


def _linked_page(name: str, language: Language) -> str:
    return str(_LINKS[language][name])


def _join_words(words: Iterable[str], language: Language) -> str:
    *first, last = words
    if not first:
        return last
    return f"{'、'.join(first)}和{last}" if language == "zh" else f"{', '.join(first)} and {last}"
