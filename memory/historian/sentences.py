"""The choice of the sentences of a message that become events.

The gate of learning judges every sentence; what it would keep is told, and so is what happened to the speaker or was
decided by them, which lasts only as an event. Courtesy, questions, commands, requests to forget, suppositions and what
is about nobody named are not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from foundation.language import asks_something
from foundation.lexicon import read_lexicon
from foundation.text import tokenize
from memory.evolution.clauses import (
    ends_in_question,
    rule_inputs,
)
from memory.evolution.free_statements import must_not_be_kept
from memory.evolution.gate import Judgement, judge
from memory.evolution.implicit_corrections import replacement_word
from memory.evolution.own_words import without_injected
from memory.evolution.rule_analyzer import analyze
from memory.evolution.slots import HOW_TO_ANSWER
from memory.evolution.supposition import is_supposition
from memory.evolution.types import Utterance
from memory.historian.happenings import happened, is_life_event, is_past, is_planned, is_promised
from memory.historian.sentence_form import (
    FIRST_PERSON,
    is_bare_rejection,
    opens_with_rejection,
    shortened,
    strip_call,
    strip_connectives,
)
from memory.historian.small_talk import is_small_talk, is_state_of_mind, is_wish, names_a_need
from memory.rewriting.protected_spans import without_quotations

_WORDS: Final = read_lexicon(__file__)

LEAST_TAUGHT: Final = 0.3
"""Chance of teaching something from which a correction is told."""
SURELY_TAUGHT: Final = 0.6
"""Chance of teaching something from which a sentence is told of which no rule says what it tells. An event is read
alone and for good, so that it takes more than a statement, which can be asked about.
"""
LEAST_OWN: Final = 0.7
"""Chance that it is the speaker's own claim below which such a sentence is not told."""
LEAST_OWN_OF_KIN: Final = 0.3
"""The same of one that is about somebody of theirs: to the gate that is news of others as often as not."""
SURE_OF_THE_PAST: Final = 0.9
"""The same of what was or came to pass: without its time or a name it is as a rule a part of something told before."""
LEAST_STATED: Final = 0.05
"""Chance of teaching something below which a sentence is not told even where the rules of learning find a statement."""
LONGEST: Final = 400
"""Characters. What is longer is prose pasted in."""
LEAST_CHANGE: Final = 0.5
"""Chance of changing something from which a sentence of the kind "correction" corrects an earlier one."""
_TASK: Final = _WORDS.pattern("task", re.IGNORECASE)
"""A message in which words are given to be worked on: they tell nothing of their speaker."""
_CAPTION: Final = re.compile(rf"\[\s?(?:{_WORDS.phrase('caption')})\b", re.IGNORECASE)
_SOME_DAY: Final = datetime(2000, 1, 1, tzinfo=UTC)  # for words whose days do not matter
FEWEST_TOKENS: Final = 2
"""Index tokens of a sentence. A single word is understood by nobody later."""

_ASKS_TO_JOIN: Final = _WORDS.pattern("asks_to_join", re.IGNORECASE)
_FORGETS: Final = _WORDS.pattern("forgets", re.IGNORECASE)
_ADDRESSES_THE_READER: Final = _WORDS.pattern("addresses_the_reader", re.IGNORECASE)
_OWN_SUBJECT: Final = _WORDS.pattern("own_subject")
"""How a sentence begins that is about its speaker, or somebody or something of theirs: not "Travel teaches me much"."""
_KIN: Final = _WORDS.pattern("kin", re.IGNORECASE)
_WE: Final = _WORDS.pattern("we", re.IGNORECASE)
_GOES_ON: Final = _WORDS.pattern("goes_on", re.IGNORECASE)
"""How a sentence opens that goes on with the one before: a model, which reads both, may tell it by name."""


@dataclass(frozen=True, slots=True)
class EventSentence:
    """A sentence that is told: ``quote`` as it stands in the message, ``text`` without what ties it to the others.

    ``shorter`` are the same words with less and less of what is said behind them, where the rest adds a remark only.
    One that ``needs_anchor`` tells of a happening or a plan that means something to a reader only with its time or a
    name.
    """

    quote: str
    text: str
    judgement: Judgement
    shorter: tuple[str, ...] = ()
    needs_anchor: bool = False


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """A sentence of a message, and how it is told, if it is. One that ``takes_back`` corrects what was said before or
    asks to have it forgotten: its ``content`` says what. One that ``only_rejects`` says that something is wrong, and no
    more.
    """

    quote: str
    told: EventSentence | None = None
    takes_back: bool = False
    content: str = ""
    only_rejects: bool = False


def read_sentences(message: str, addressee: str = "") -> list[SentenceReading]:
    """Every sentence of a message, in order. To be called outside any transaction: sentences are embedded.

    The name of its ``addressee`` is no part of a sentence that calls them. Raises ``EmbeddingUnavailable``; linear in
    the length of the message.
    """
    readings: list[SentenceReading] = []
    is_rejected = False
    is_task = _TASK.search(message) is not None
    judgements = judge(without_injected(message))
    for at, judgement in enumerate(judgements):
        sentence = judgement.sentence
        if sentence not in message or _CAPTION.match(sentence):
            continue
        text = strip_call(sentence, addressee)
        forgets = _FORGETS.match(text)
        corrects = is_rejected or opens_with_rejection(text) or _is_correction(judgement)
        is_bare = is_bare_rejection(text)
        content = text[forgets.end() :] if forgets else strip_connectives(text)
        goes_on = bool(readings and readings[-1].told) and _GOES_ON.match(text) is not None
        asks_next = names_a_need(text) and any(
            asks_something(later.sentence) or ends_in_question(later.sentence) for later in judgements[at + 1 : at + 3]
        )
        is_silent = is_task or (asks_next and judgement.band != "remember") or bool(replacement_word(sentence))
        told = None if is_silent else _event_sentence(judgement, text, corrects=corrects, goes_on=goes_on)
        takes_back = (bool(forgets) or corrects) and not is_bare
        readings.append(SentenceReading(sentence, told, takes_back, content.strip(" ,，:："), is_bare))
        is_rejected = is_bare
    return readings


def _is_correction(judgement: Judgement) -> bool:
    return judgement.kind == "correction" and judgement.change >= LEAST_CHANGE and judgement.teaches >= LEAST_TAUGHT


def asks_to_forget(sentence: str) -> bool:
    """Whether a sentence asks to have something forgotten."""
    return _FORGETS.match(sentence.strip()) is not None


def _event_sentence(judgement: Judgement, sentence: str, *, corrects: bool, goes_on: bool) -> EventSentence | None:
    if len(sentence) > LONGEST or asks_to_forget(sentence):
        return None
    text = strip_connectives(sentence)
    if not text or _tells_nothing(judgement, text):
        return None
    is_correction = corrects and judgement.teaches >= LEAST_TAUGHT
    is_clear = is_correction or goes_on or _is_clear(judgement, text)
    if not (is_clear or _may_be_clear(judgement, text)):
        return None
    return EventSentence(judgement.sentence, text, judgement, tuple(shortened(text)), needs_anchor=not is_clear)


def _tells_nothing(judgement: Judgement, text: str) -> bool:
    return (
        judgement.kind == "instruction"
        or judgement.sentence.rstrip().endswith(("?", "？"))
        or asks_something(text)
        or ends_in_question(text)
        or must_not_be_kept(judgement, text)
        or _ADDRESSES_THE_READER.search(text) is not None
        or _ASKS_TO_JOIN.search(text) is not None
        or is_small_talk(text)
        or is_state_of_mind(text)
        or is_supposition(text)
        or any(part.hypothetical for group in rule_inputs(text) for part in group)
        or (len(tokenize(text)) < FEWEST_TOKENS and not _is_stated(text))
    )


def _is_clear(judgement: Judgement, text: str) -> bool:
    """Whether a sentence is told wherever it can be understood: what surely teaches something, by the gate or the rules
    of learning.
    """
    own = without_quotations(text)
    if not _tells_of_its_speaker(own) or is_promised(own):
        return False
    if is_wish(own):
        return judgement.band == "remember"
    if happened(own) or is_planned(own) or is_past(own):
        return is_life_event(own) or judgement.teaches >= SURE_OF_THE_PAST
    least_own = LEAST_OWN_OF_KIN if _KIN.match(own) else LEAST_OWN
    if judgement.band == "remember" or (judgement.teaches >= SURELY_TAUGHT and judgement.own >= least_own):
        return True
    return judgement.teaches >= LEAST_STATED and _is_stated(text)


def _may_be_clear(judgement: Judgement, text: str) -> bool:
    """Whether a sentence is told where it names its time, or something by which a reader knows what it is about."""
    own = without_quotations(text)
    if not _tells_of_its_speaker(own) or is_wish(own):
        return False
    may_teach = judgement.teaches >= LEAST_TAUGHT and judgement.own >= LEAST_OWN
    return may_teach or happened(own) or is_planned(own)


def _tells_of_its_speaker(own: str) -> bool:
    return _WE.search(own) is None and FIRST_PERSON.search(own) is not None and _OWN_SUBJECT.match(own) is not None


def _is_stated(text: str) -> bool:
    """Whether the rules of learning find a statement in it that says more than how to answer."""
    found = analyze(Utterance(text, "", _SOME_DAY))
    return any(statement.attributes["slot"] not in HOW_TO_ANSWER for statement in found)
