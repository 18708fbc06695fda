"""Grammar of English questions about oneself: known parts become symbols, and what is left over decides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from finclaw.brain.self_questions.types import DIRECTLY_ASKED, SelfQuestion
from foundation.compiled_patterns import compile_pattern
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__, "grammar").of("en")
_TOPICS: Final = read_lexicon(__file__, "question_topics").of("en")
_NOUN_WORDS: Final = {
    topic: "|".join(sorted(nouns, key=len, reverse=True)) for topic, nouns in _TOPICS.groups("nouns").items()
}
_CLAUSE_WORDS: Final = {
    topic: "|".join(sorted(clauses, key=len, reverse=True)) for topic, clauses in _TOPICS.groups("clauses").items()
}

_ADJECTIVES: Final = _WORDS.phrase("adjectives")
_WHO_AM_I: Final = _WORDS.pattern("who_am_i")
_ME: Final = _WORDS.pattern("me")
_STORE: Final = _WORDS.pattern("store")
_KNOWING: Final = _WORDS.pattern("knowing")
_TOLD_BY_ME: Final = _WORDS.pattern("told_by_me")
_ASKING: Final = _WORDS.pattern("asking")
_QUESTION: Final = _WORDS.pattern("question")
_AUXILIARY: Final = _WORDS.pattern("auxiliary")
_YOU: Final = _WORDS.pattern("you")
_PHRASES: Final = _WORDS.pattern("phrases")
_FILLERS: Final = frozenset(_WORDS.words("fillers"))
_CONTRARY: Final = _WORDS.pattern("contrary")
_PASSIVE: Final = _WORDS.pattern("passive")
_THEY_ASK: Final = _WORDS.pattern("they_ask")
_TELLS: Final = _WORDS.pattern("tells")
_ASKS_WHAT: Final = _WORDS.pattern("asks_what")
_COURTESY: Final = _WORDS.pattern("courtesy")
_INVERTED: Final = (
    (re.compile(r"\b(?:do|did) i\b"), "i"),
    (re.compile(r"(?<!who )(?<!person )\bam i\b(?! like)"), "i am"),
)
_DIRECTLY: Final = _WORDS.pattern("directly")
_ABOUT_ME: Final = _WORDS.pattern("about_me")
_OPEN_MEMORY: Final = _WORDS.pattern("open_memory")
_WORD: Final = re.compile(r"[^\W_]+(?:['.-][^\W_]+)*")
_OWN_NOUN: Final = _WORDS.pattern("own_noun")


def _topic_patterns(words: dict[str, str]) -> list[tuple[str, re.Pattern[str]]]:
    """A pattern for each topic, the longest noun first."""
    return [(topic, compile_pattern(rf"\b(?:{alternatives})\b(?!'s|')")) for topic, alternatives in words.items()]


_CLAUSES: Final = _topic_patterns(_CLAUSE_WORDS)
_NOUNS: Final = [
    (topic, compile_pattern(rf"\b(?:my|our)(?: (?:{_ADJECTIVES}))* (?:{alternatives})\b(?!'|-)"))
    for topic, alternatives in _NOUN_WORDS.items()
]
_BARE: Final = {topic: rf"\b(?:{alternatives})\b(?!'|-)" for topic, alternatives in _NOUN_WORDS.items()}
_JOINED: Final = [
    (topic, compile_pattern(rf"(?<=§)\s*+(?:,|and|or|&|/)+\s*+(?:and |or )?{noun}|{noun}\s*+(?:,|and|or|&|/)\s*+(?=§)"))
    for topic, noun in _BARE.items()
]
_NEAR: Final = [
    (topic, compile_pattern(rf"(?:\b(?:and|about|on|for|of|to|,|:|under|in|-)\s*+){noun}"))
    for topic, noun in _BARE.items()
]
_NARROW: Final = _WORDS.patterns("narrow")

_KNOW: Final = _WORDS.pattern("know")
_TELL_ABOUT: Final = _WORDS.pattern("tell_about")


def read_english(said: str) -> SelfQuestion | None:
    """The question about oneself that an English message asks; None for any other message."""
    if _CONTRARY.search(said) or _THEY_ASK.search(said) or (_TELLS.search(said) and not _ASKS_WHAT.search(said)):
        return None
    left, topics = _extract_topics(_declarative_order(said))
    left = _PHRASES.sub(" ", left)
    is_who = _WHO_AM_I.search(left) is not None
    left = _WHO_AM_I.sub(" ", left)
    told = _TOLD_BY_ME.search(left) is not None
    left = _TOLD_BY_ME.sub(" ", left)
    named = "" if topics else _own_noun(left)
    if named:
        left = left.replace(f"my {named}", " ").replace(f"our {named}", " ")
    asks_of_me = _ABOUT_ME.search(said) is not None
    addressed = _YOU.search(_COURTESY.sub(" ", said)) is not None
    without_request = _ASKING.sub(" ", left)
    knows = told or _KNOWING.search(without_request) is not None or (addressed and _KNOW.search(said) is not None)
    stored = _STORE.search(without_request) is not None
    mentions_me = is_who or _ME.search(without_request) is not None
    if (mentions_me or stored) and not topics:
        without_request, topics = _extract_bare_topics(without_request)
    # A question addressed to the assistant about "me" may hold one word that the grammar does not know.
    most_unknown_words = 1 if asks_of_me and addressed and (knows or stored or "?" in said) else 0
    if len(_leftover(without_request)) > most_unknown_words:
        return None
    if not _is_asked(said, left, is_who=is_who):
        return None
    knows_passively = _PASSIVE.search(said) is not None
    is_about_user = is_who or mentions_me or asks_of_me or bool(topics) or bool(named)
    if (
        is_about_user
        and (knows or stored or is_who)
        and (addressed or stored or told or is_who or knows_passively or _ASKING.search(left))
    ):
        return SelfQuestion(topics, named)  # "What do you know about my plans?"
    if asks_of_me or (topics and _TELL_ABOUT.search(said)):
        return SelfQuestion(topics, named) if is_about_user else None  # "Tell me about my plans."
    if topics and set(topics) <= DIRECTLY_ASKED and _DIRECTLY.search(said):
        return SelfQuestion(topics, named, is_direct=True)  # "What are my plans?"
    is_open = not named and ((told and addressed) or (knows and addressed and _OPEN_MEMORY.search(said)))
    return SelfQuestion() if is_open else None  # "What do you remember?"


def _declarative_order(said: str) -> str:
    """The clause in declarative order: "what languages I speak" for "what languages do I speak"."""
    for pattern, order in _INVERTED:
        said = pattern.sub(order, said)
    return said


def _extract_topics(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with § for each topic, and these; the longest name first: "my holiday plans" before "my holiday"."""
    found: dict[str, None] = {}
    narrow = [name for name, pattern in _NARROW.items() if pattern.search(text)]
    while match := _longest_topic(text):
        topic, start, end = match
        found[topic] = None
        text = f"{text[:start]} § {text[end:]}"
    if found:
        text, more = _extract_joined_topics(text)
        found |= dict.fromkeys(more)
    if narrow and set(found) == {"who"}:
        return text, tuple(narrow)
    return text, tuple(found)


def _longest_topic(text: str) -> tuple[str, int, int] | None:
    matches = (
        (topic, match.start(), match.end())
        for topic, pattern in (*_CLAUSES, *_NOUNS)
        for match in pattern.finditer(text)
    )
    return max(matches, key=lambda found: found[2] - found[1], default=None)


def _extract_joined_topics(text: str) -> tuple[str, list[str]]:
    """Nouns that share one "my": "my work and family"."""
    more = []
    for topic, pattern in _JOINED:
        text, number = pattern.subn(" § ", text)
        if number:
            more.append(topic)
    return text, more


def _extract_bare_topics(text: str) -> tuple[str, tuple[str, ...]]:
    """Topics without "my", in a message that is about the speaker anyway: "about me and work", "work-wise"."""
    found = []
    for topic, pattern in _NEAR:
        text, number = pattern.subn(" ", text)
        if number:
            found.append(topic)
    return text, tuple(found)


def _own_noun(text: str) -> str:
    match = _OWN_NOUN.search(text)
    if match is None:
        return ""
    noun = match[1].strip()
    return "" if _STORE.fullmatch(noun) or _ME.fullmatch(f"my {noun}") or noun.split()[-1] in _FILLERS else noun


def _leftover(text: str) -> list[str]:
    for pattern in (_ME, _STORE, _KNOWING, _QUESTION, _YOU):
        text = pattern.sub(" ", text)
    return [word for word in _split_words(text) if word not in _FILLERS]


def _split_words(text: str) -> Iterable[str]:
    return _WORD.findall(text)


def _is_asked(said: str, left: str, *, is_who: bool) -> bool:
    """Whether it is a question or a request, unlike "you know me"."""
    return bool(is_who or "?" in said or _ASKING.search(left) or _AUXILIARY.search(said) or _QUESTION.search(left))
