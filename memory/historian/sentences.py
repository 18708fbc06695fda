"""Chooses the sentences of a message that become events; such a sentence is called told.

``memory.evolution.gate`` judges every sentence. Told are those that it would learn from, and those that say what
happened to the speaker or what the speaker decided: only an event preserves that. Courtesy, questions, commands,
requests to forget, suppositions and sentences about nobody named are not told.
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
from memory.evolution.quoted_text import without_injected
from memory.evolution.rule_analyzer import analyze
from memory.evolution.slots import HOW_TO_ANSWER
from memory.evolution.supposition import is_supposition
from memory.evolution.types import Utterance
from memory.historian.happenings import is_life_event, is_past, is_planned, is_promised, reports_past_event
from memory.historian.sentence_form import (
    FIRST_PERSON,
    is_bare_rejection,
    opens_with_rejection,
    shortened,
    strip_addressee,
    strip_connectives,
)
from memory.historian.small_talk import is_small_talk, is_state_of_mind, is_wish, names_a_need
from memory.rewriting.protected_spans import without_quotations

_WORDS: Final = read_lexicon(__file__)

LEAST_TAUGHT: Final = 0.3
"""Least probability, by the gate, that a correction teaches something for it to be told."""
SURELY_TAUGHT: Final = 0.6
"""The same for a sentence in which no rule recognises anything. It is higher than for learning: an event is read alone
and for good, while the user can be asked about a statement.
"""
LEAST_OWN: Final = 0.7
"""Least probability that such a sentence is the speaker's own claim."""
LEAST_OWN_OF_KIN: Final = 0.3
"""The same for a sentence about somebody of the speaker's ("my sister"): the gate takes it for news of others as often
as not.
"""
SURE_OF_THE_PAST: Final = 0.9
"""Least probability of teaching something for a past event or a plan to be told without its time or a name: such a
sentence usually belongs to something told before.
"""
LEAST_STATED: Final = 0.05
"""Least probability of teaching something for a sentence in which the rules of learning find a statement."""
LONGEST: Final = 400
"""Characters. A longer sentence is taken for pasted prose."""
LEAST_CHANGE: Final = 0.5
"""Least probability of changing something for a sentence of the kind "correction" to correct an earlier one."""
_TASK: Final = _WORDS.pattern("task", re.IGNORECASE)
"""A message that gives a text to be worked on: it tells nothing of its speaker."""
_CAPTION: Final = re.compile(rf"\[\s?(?:{_WORDS.phrase('caption')})\b", re.IGNORECASE)
_SOME_DAY: Final = datetime(2000, 1, 1, tzinfo=UTC)  # for words whose days do not matter
FEWEST_TOKENS: Final = 2
"""The fewest index tokens of a sentence that is told: nobody understands a single word later."""

_ASKS_TO_JOIN: Final = _WORDS.pattern("asks_to_join", re.IGNORECASE)
_FORGETS: Final = _WORDS.pattern("forgets", re.IGNORECASE)
_ADDRESSES_THE_READER: Final = _WORDS.pattern("addresses_the_reader", re.IGNORECASE)
_OWN_SUBJECT: Final = _WORDS.pattern("own_subject")
"""How a sentence begins that is about its speaker, or somebody or something of theirs: not "Travel teaches me much"."""
_KIN: Final = _WORDS.pattern("kin", re.IGNORECASE)
_WE: Final = _WORDS.pattern("we", re.IGNORECASE)
_GOES_ON: Final = _WORDS.pattern("goes_on", re.IGNORECASE)
"""How a sentence opens that continues the one before: a model, which reads both, may name what it is about."""


@dataclass(frozen=True, slots=True)
class EventSentence:
    """A sentence that an event may be made of.

    ``quote`` is the sentence as it stands in the message, ``text`` the same without what ties it to the others.
    ``shorter`` are the same words without the last clause, the last two and so on, where these add only remarks.
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
    """A sentence of a message; ``event_sentence`` is what an event may be made of, None if it tells nothing.

    One that ``takes_back`` corrects what was said before or asks to have it forgotten: its ``content`` says what. One
    that ``only_rejects`` says that something is wrong, and nothing else.
    """

    quote: str
    event_sentence: EventSentence | None = None
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
            continue  # not verbatim, because injected text was cut out of it, or the caption of a picture
        text = strip_addressee(sentence, addressee)
        forgets = _FORGETS.match(text)
        corrects = is_rejected or opens_with_rejection(text) or _is_correction(judgement)
        is_bare = is_bare_rejection(text)
        content = text[forgets.end() :] if forgets else strip_connectives(text)
        goes_on = bool(readings and readings[-1].event_sentence) and _GOES_ON.match(text) is not None
        asks_next = names_a_need(text) and any(
            asks_something(later.sentence) or ends_in_question(later.sentence) for later in judgements[at + 1 : at + 3]
        )
        # A need before a question belongs to the question; "I meant coffee" only corrects the sentence before it.
        is_silent = is_task or (asks_next and judgement.band != "remember") or bool(replacement_word(sentence))
        event_sentence = None if is_silent else _event_sentence(judgement, text, corrects=corrects, goes_on=goes_on)
        takes_back = (bool(forgets) or corrects) and not is_bare
        readings.append(SentenceReading(sentence, event_sentence, takes_back, content.strip(" ,，:："), is_bare))
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
    """Whether a sentence is told even without a time or a name, because it surely teaches something, by the gate or by
    the rules of learning.
    """
    own = without_quotations(text)
    if not _tells_of_its_speaker(own) or is_promised(own):
        return False
    if is_wish(own):
        return judgement.band == "remember"
    if reports_past_event(own) or is_planned(own) or is_past(own):
        return is_life_event(own) or judgement.teaches >= SURE_OF_THE_PAST
    least_own = LEAST_OWN_OF_KIN if _KIN.match(own) else LEAST_OWN
    if judgement.band == "remember" or (judgement.teaches >= SURELY_TAUGHT and judgement.own >= least_own):
        return True
    return judgement.teaches >= LEAST_STATED and _is_stated(text)


def _may_be_clear(judgement: Judgement, text: str) -> bool:
    """Whether a sentence is told if it names its time, or something by which a reader knows what it is about."""
    own = without_quotations(text)
    if not _tells_of_its_speaker(own) or is_wish(own):
        return False
    may_teach = judgement.teaches >= LEAST_TAUGHT and judgement.own >= LEAST_OWN
    return may_teach or reports_past_event(own) or is_planned(own)


def _tells_of_its_speaker(own: str) -> bool:
    return _WE.search(own) is None and FIRST_PERSON.search(own) is not None and _OWN_SUBJECT.match(own) is not None


def _is_stated(text: str) -> bool:
    """Whether the rules of learning find a statement in it that says more than how to answer."""
    found = analyze(Utterance(text, "", _SOME_DAY))
    return any(statement.attributes["slot"] not in HOW_TO_ANSWER for statement in found)
