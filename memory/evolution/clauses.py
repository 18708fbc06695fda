"""Splits an utterance into clauses that rules may read; echoes, quotations, questions and imaginings are set aside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from foundation.language import (
    ends_with_question_mark,
    is_question,
    language_of,
    normalize,
    split_sentences,
    tables_of,
    whole_word,
)
from foundation.lexicon import read_lexicon
from memory.evolution.quoted_text import without_echoes

_WORDS: Final = read_lexicon(__file__)


MAX_CLAUSE: Final = 200
"""The most characters of a clause; a longer one is pasted prose, not a statement about oneself."""

LONGEST_WITHOUT_SELF: Final = 60
"""The most characters of a Chinese text whose left-out subject is the speaker.

A longer one that never says "I" is about something else.
"""

_HYPOTHETICAL = _WORDS.pattern("hypothetical", re.IGNORECASE)
_OPENS_WITH_I = _WORDS.of("en").pattern("opens_with_i")
_TAG_QUESTION = re.compile(rf"(?:{_WORDS.phrase('tag_question')})[?？]\W*$", re.IGNORECASE)

# ", and" alone may as well go on with a list.
_SPLIT_EN = _WORDS.of("en").pattern("split")
_SPLIT_SHARED_EN = _WORDS.of("en").pattern("split_shared")
_SPLIT_ZH = _WORDS.of("zh").pattern("split")
_LISTED_ZH = _WORDS.of("zh").pattern("listed")
"""A clause of a few letters without a word of grammar in it: one of "健身，旅游，摄影"."""
_SELF_ZH = _WORDS.of("zh").pattern("self")
_SUBJECT_ZH = _WORDS.of("zh").pattern("subject")
"""Whom a Chinese clause is about, where it says so: what follows without a subject is about the same."""
_SHARED: Final = _WORDS.of("en").phrase("shared")
_REQUEST = _WORDS.pattern("request", re.IGNORECASE)
_REJECTS = re.compile(rf"(?:(?:{_WORDS.phrase('rejects')})\W*)+$", re.IGNORECASE)
_LEADERS = _WORDS.of("en").pattern("leaders", re.IGNORECASE)
_LEADERS_ZH = _WORDS.of("zh").pattern("leaders")
_CORRECTS = re.compile(rf"^(?:{_WORDS.phrase('corrects')})", re.IGNORECASE)
_ADDS = _WORDS.pattern("adds", re.IGNORECASE)
_NO_ALONE = re.compile(rf"\W*(?:{_WORDS.phrase('no_alone')})", re.IGNORECASE)
_HEDGES_EN = _WORDS.of("en").pattern("hedges", re.IGNORECASE)
_HEDGES_ZH = _WORDS.of("zh").pattern("hedges")


@dataclass(frozen=True, slots=True)
class RuleInput:
    """A piece of text that rules read: a sentence if it is ``whole``, else one of its clauses.

    ``corrects`` says that it corrects what was said before, ``hypothetical`` that it is only imagined, and
    ``shares_subject`` that its "I" is taken over from the clause before.
    """

    text: str
    chinese: bool
    whole: bool
    corrects: bool = False
    hypothetical: bool = False
    shares_subject: bool = False

    @property
    def quote(self) -> str:
        """The user's exact words, without an "I" taken over from the clause before."""
        return self.text.removeprefix(_SHARED) if self.shares_subject else self.text

    @property
    def matchable(self) -> str:
        """The text that rules match. Traditional characters are folded where that keeps every position."""
        folded = normalize(self.text) if self.chinese else self.text.replace("’", "'")
        return folded if len(folded) == len(self.text) else self.text


def rule_inputs(text: str) -> Iterator[list[RuleInput]]:
    """The inputs for rules: each sentence that states something, then its clauses."""
    rejected = False
    own = without_echoes(text)
    of_another = len(own) > LONGEST_WITHOUT_SELF and _SELF_ZH.search(own) is None
    for sentence in split_sentences(own):
        if not asks_for_agreement(sentence):
            yield list(_inputs_of_sentence(sentence, rejected, of_another))
        rejected = _REJECTS.match(sentence) is not None


def asks_for_agreement(sentence: str) -> bool:
    """Whether a statement ends with a "right?", which makes it a question."""
    return _TAG_QUESTION.search(sentence) is not None


def without_lead_in(sentence: str, *, chinese: bool) -> str:
    """The sentence without the mark at its end and the words that only lead into it ("By the way, ")."""
    bare = sentence.strip().rstrip('.!?。！？…~～ "”')
    return (_LEADERS_ZH if chinese else _LEADERS).sub("", bare)


def clauses_of(sentence: str) -> list[str]:
    """The clauses of a sentence, in order, verbatim."""
    chinese = language_of(sentence) == "zh"
    body = without_lead_in(sentence, chinese=chinese)
    return [part.strip() for part in (_split_chinese(body) if chinese else _SPLIT_EN.split(body)) if part.strip()]


def without_hedge(clause: RuleInput) -> RuleInput:
    """The clause without its "maybe"; the clause itself where it has none."""
    text = (_HEDGES_ZH if clause.chinese else _HEDGES_EN).sub("", clause.text)
    return clause if text == clause.text else replace(clause, text=text)


def ends_in_question(text: str) -> bool:
    """Whether the last clause of a sentence is a question; a polite request for a form of answer is none."""
    chinese = language_of(text) == "zh"
    clauses = _split_clauses(without_lead_in(text, chinese=chinese), chinese)
    return bool(clauses) and _is_last_question(text, clauses[-1], chinese)


def is_addition(clause: str) -> bool:
    """Whether a clause says that it adds to what was said before: "I like coffee too"."""
    return _ADDS.search(clause) is not None


def may_answer(text: str, before: str) -> bool:
    """Whether a message may be just a "no" to the question that ends the message before it."""
    return before.rstrip().endswith(("?", "？")) and _NO_ALONE.match(text) is not None


def _inputs_of_sentence(sentence: str, rejected: bool, of_another: bool) -> Iterator[RuleInput]:
    chinese = language_of(sentence) == "zh"
    corrects = rejected or _CORRECTS.search(sentence) is not None
    hypothetical = _HYPOTHETICAL.search(sentence) is not None
    body = without_lead_in(sentence, chinese=chinese)
    clauses = _split_clauses(body, chinese)
    if clauses and _is_last_question(sentence, clauses[-1], chinese):
        clauses.pop()
    elif len(body) <= MAX_CLAUSE:
        yield RuleInput(body, chinese, True, corrects, hypothetical)
    imagined = False
    for clause in clauses:
        imagined = imagined or _HYPOTHETICAL.search(clause) is not None
        subject = _SUBJECT_ZH.match(clause) if chinese else None
        of_another = subject["other"] is not None if subject else of_another
        theirs = chinese and of_another and subject is None
        if len(clause) <= MAX_CLAUSE and not theirs and not _is_question_clause(clause, chinese):
            yield RuleInput(clause, chinese, False, corrects, imagined, clause not in body)


def _split_clauses(body: str, chinese: bool) -> list[str]:
    if chinese:
        return [_LEADERS_ZH.sub("", part.strip()) for part in _split_chinese(body) if part.strip()]
    return [clause for part in _SPLIT_EN.split(body) for clause in _shared_subject(_LEADERS.sub("", part.strip()))]


def _split_chinese(body: str) -> list[str]:
    """The clauses of a sentence; a list of two or more short words stays with the clause that begins it."""
    ends = [*((mark.start(), mark.end()) for mark in _SPLIT_ZH.finditer(body)), (len(body), len(body))]
    parts = [(begin, end) for (_, begin), (end, _) in zip([(0, 0), *ends], ends, strict=False)]
    listed = [_LISTED_ZH.fullmatch(body[begin:end].strip()) is not None for begin, end in parts]
    joined = [parts[0]]
    for at, (begin, end) in enumerate(parts[1:], 1):
        if listed[at] and (listed[at - 1] or listed[at + 1 : at + 2] == [True]) and not (at == 1 and listed[0]):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    return [body[begin:end] for begin, end in joined]


def _shared_subject(clause: str) -> Iterator[str]:
    """The parts of an English clause whose verbs after "and" share its "I", which is put before each of them.

    "I like tea and hate coffee" is two statements of one subject. In "I love the peace and love theme" the second
    "love" is no verb, and a word that stood in the clause before is not taken for one.
    """
    if not _OPENS_WITH_I.match(clause):
        if clause:
            yield clause
        return
    begin = 0
    for mark in _SPLIT_SHARED_EN.finditer(clause):
        if whole_word(mark["verb"], ignores_case=True).search(clause[: mark.start()]) is None:
            yield (_SHARED if begin else "") + clause[begin : mark.start()]
            begin = mark.end()
    yield (_SHARED if begin else "") + clause[begin:]


def _is_last_question(sentence: str, last: str, chinese: bool) -> bool:
    return not _REQUEST.match(last) and (ends_with_question_mark(sentence) or _is_question_clause(last, chinese))


def _is_question_clause(clause: str, chinese: bool) -> bool:
    return not _REQUEST.match(clause) and is_question(clause, (tables_of("zh" if chinese else "en"),))
