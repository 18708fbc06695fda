"""Finds style wishes in a message (mode, length, form, tone, language), by English and Chinese rules. Pure.

Quotations, also of the assistant, are not the user's own words. A command must be a clause of its own. The subject of a
message suggests a mode, unless two suggestions disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from foundation.language import (
    Language,
    ParsedMessage,
    language_of,
    normalize,
    straighten_apostrophes,
)
from memory.evolution.quoted_text import without_echoes
from personas.types import MessageWishes, ModeRequest, PreferenceSignal
from personas.wish_rules import CLAUSE_RULES, LANGUAGE_NAMES, SENTENCE_RULES, SUGGESTIONS, SentenceRules

LONGEST_WISH: Final = 80
"""The most characters of a clause with a wish. A longer one states something."""
_MARKS: Final = " \t.。!！?？~～…:：\"'"


@dataclass(frozen=True)
class _ClauseWish:
    """The wish of a clause. One marked ``alone`` counts only where its sentence says nothing else."""

    signal: PreferenceSignal | None = None
    request: ModeRequest | None = None
    alone: bool = False

    @property
    def can_hold(self) -> bool:
        """Whether the wish can hold as long as was said: for a number of messages only a mode can."""
        return self.request is not None or self.signal is None or self.signal.turns is None


def infer_wishes(message: ParsedMessage) -> MessageWishes:
    """The style wishes of a message: the mode asked for or suggested, the latest signal of each key, and whether it
    says nothing else.
    """
    own_words = without_echoes(message.text)
    own = message if own_words == message.text else ParsedMessage(own_words)
    read = [_read_sentence(sentence) for sentence in own.sentences]
    signals: dict[str, PreferenceSignal] = {}
    request: ModeRequest | None = None
    for wish in (wish for sentence in read for wish in sentence.wishes):
        request = wish.request or request
        if wish.signal is not None:
            signals[wish.signal.key] = wish.signal
    wishes_only = (
        own is message and all(sentence.wishes_only for sentence in read) and any(sentence.wishes for sentence in read)
    )
    return MessageWishes(request or _suggested_mode(own), tuple(signals.values()), wishes_only, message.language)


def language_named(text: str) -> Language | None:
    """The language that a text on style names, by code or in words; None for none, an unknown one, or both."""
    named = {language for language, pattern in LANGUAGE_NAMES.items() if pattern.search(text)}
    return named.pop() if len(named) == 1 else None


@dataclass(frozen=True)
class _ReadClause:
    """A clause after reading.

    An ``empty`` clause only says how long a wish holds, or whom it addresses. ``turns`` is the number of messages that
    it says the wish is for.
    """

    wishes: tuple[_ClauseWish, ...]
    lasts: bool
    empty: bool
    turns: int | None = None

    @property
    def wishes_only(self) -> bool:
        return self.empty or bool(self.wishes)


@dataclass(frozen=True)
class _ReadSentence:
    wishes: tuple[_ClauseWish, ...]
    wishes_only: bool


def _read_sentence(sentence: str) -> _ReadSentence:
    """The wishes of a sentence.

    Words that make a wish lasting count only in the same run of wish clauses: "I always lose, be brief" is for now.
    """
    language = language_of(sentence)
    own = _own_clauses(_fold(sentence), SENTENCE_RULES[language])
    clauses = [_read_clause(clause, language) for clause in own]
    wishes_only = all(clause.wishes_only for clause in clauses)
    wishes = tuple(wish for wish in _wishes_with_duration(clauses) if wishes_only or not wish.alone)
    return _ReadSentence(wishes, wishes_only and all(wish.can_hold for wish in wishes))


def _wishes_with_duration(clauses: Iterable[_ReadClause]) -> Iterator[_ClauseWish]:
    """The wishes, each with how long it is to hold."""
    for _, run in groupby(clauses, key=lambda clause: clause.wishes_only):
        together = list(run)
        lasting = any(clause.lasts for clause in together)
        turns = next((clause.turns for clause in together if clause.turns), None)
        for wish in (wish for clause in together for wish in clause.wishes):
            signal = replace(wish.signal, explicit=lasting and not turns, turns=turns) if wish.signal else None
            ends = wish.request is not None and wish.request.mode is not None
            request = replace(wish.request, ttl_turns=turns) if wish.request and ends else wish.request
            yield replace(wish, signal=signal, request=request)


def _own_clauses(sentence: str, rules: SentenceRules) -> Iterator[str]:
    """The clauses up to and including one that introduces another person's words."""
    for clause in rules.split.split(sentence):
        yield clause
        if rules.reports.search(clause.strip(_MARKS)):
            return


def _read_clause(clause: str, language: Language) -> _ReadClause:
    rules = SENTENCE_RULES[language]
    clause, turns = _without_turns(clause, rules)
    parts = [part.strip(_MARKS) for part in rules.split.split(rules.lasting.sub("", clause))]
    bare = [rules.leaders.sub("", part).strip() for part in parts]
    told = [short or part for short, part in zip(bare, parts, strict=True) if part and len(part) <= LONGEST_WISH]
    wishes = tuple(wish for words in told if (wish := _match_wish(words, language)))
    return _ReadClause(wishes, _is_lasting(clause, wishes, rules), not any(bare), turns)


def _without_turns(clause: str, rules: SentenceRules) -> tuple[str, int | None]:
    """The clause without the words that say for how many messages it is, and that number; None where none say so."""
    found = rules.for_turns.search(clause)
    if found is None:
        return clause, None
    number = found["turns"]
    turns = 1 if number is None else int(number) if number.isdecimal() else rules.counts[number.lower()]
    return f"{clause[: found.start()]} {clause[found.end() :]}", turns or 1


def _is_lasting(clause: str, wishes: Iterable[_ClauseWish], rules: SentenceRules) -> bool:
    """Whether a wish is to hold from now on. The habit in an objection ("you always …") does not make it lasting."""
    found = rules.lasting.search(clause)
    objects = any(wish.signal is not None and wish.signal.correction for wish in wishes)
    return found is not None and not (objects and rules.habit.match(found[0]))


def _match_wish(words: str, language: Language) -> _ClauseWish | None:
    rules = CLAUSE_RULES[language]
    if rules.back.fullmatch(words):
        return _ClauseWish(request=ModeRequest(None, "user"))
    if command := rules.command.fullmatch(words):
        mode = rules.modes_by_word[(command["mode"] or command["trait"]).lower()]
        return _ClauseWish(PreferenceSignal("mode", mode, language=language), ModeRequest(mode, "user"))
    if rules.as_now.fullmatch(words):
        return _ClauseWish(PreferenceSignal("mode", "", as_now=True, language=language))
    if rule := next((rule for rule in rules.wishes if rule.pattern.fullmatch(words)), None):
        signal = PreferenceSignal(rule.key, rule.value, correction=rule.correction, language=language)
        return _ClauseWish(signal, ModeRequest(rule.mode, "user") if rule.mode else None)
    return _ClauseWish(request=ModeRequest(None, "user"), alone=True) if rules.back_alone.fullmatch(words) else None


def _suggested_mode(own: ParsedMessage) -> ModeRequest | None:
    read = straighten_apostrophes(own.normalized)
    fitting = {suggestion.mode for suggestion in SUGGESTIONS if suggestion.pattern.search(read)}
    return ModeRequest(fitting.pop(), "rule") if len(fitting) == 1 else None


def _fold(text: str) -> str:
    """Fold quotes and Chinese script to one spelling."""
    return straighten_apostrophes(normalize(text))
