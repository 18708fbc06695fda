"""Grammar of Chinese questions about oneself: known parts become symbols, and what is left over decides."""

from __future__ import annotations

import re
from typing import Final

from finclaw.brain.self_questions.types import DIRECTLY_ASKED, SelfQuestion
from foundation.compiled_patterns import compile_pattern
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__, "grammar").of("zh")
_TOPICS: Final = read_lexicon(__file__, "question_topics").of("zh")
_NOUN_WORDS: Final = {topic: "|".join(nouns) for topic, nouns in _TOPICS.groups("nouns").items()}
_CLAUSE_WORDS: Final = {topic: "|".join(clauses) for topic, clauses in _TOPICS.groups("clauses").items()}

_MINE: Final = _WORDS.phrase("mine")
_SELF: Final = _WORDS.pattern("self")
_ME: Final = _WORDS.pattern("me")
_STORE: Final = _WORDS.pattern("store")
_KNOWING: Final = _WORDS.pattern("knowing")
_TOLD_BY_ME: Final = _WORDS.pattern("told_by_me")
_ASKING: Final = _WORDS.pattern("asking")
_QUESTION: Final = _WORDS.pattern("question")
_YOU: Final = _WORDS.pattern("you")
_FILLERS: Final = _WORDS.pattern("fillers")
_CONTRARY: Final = _WORDS.pattern("contrary")
_DIRECTLY: Final = _WORDS.pattern("directly")
_OF_MANY: Final = frozenset({"investing", "tastes"})
"""Topics of which a question asks for one, which recall answers (我关注什么？), or for all (我都喜欢什么？)."""
_ALL_OF_THEM: Final = _WORDS.pattern("all_of_them")
_OPEN_MEMORY: Final = _WORDS.pattern("open_memory")
_CURIOUS: Final = _WORDS.pattern("curious")
_ABOUT_ME: Final = _WORDS.pattern("about_me")
_OWN_FILE: Final = _WORDS.pattern("own_file")
_PUNCTUATION: Final = re.compile(r"[\W_]+")
_TOPIC_MARK: Final = "§"  # stands in the text for each topic that was taken out
_OWN_NOUN: Final = _WORDS.pattern("own_noun")


def _topic_patterns(words: dict[str, str], before: str = "", after: str = "") -> list[tuple[str, re.Pattern[str]]]:
    return [(topic, compile_pattern(f"{before}(?:{alternatives}){after}")) for topic, alternatives in words.items()]


_CLAUSES: Final = _topic_patterns(_CLAUSE_WORDS)
_NOUNS: Final = _topic_patterns(_NOUN_WORDS, _MINE, _WORDS.phrase("of_it"))
_BARE: Final = _topic_patterns(_NOUN_WORDS, _WORDS.phrase("about"), _WORDS.phrase("of_it_alone"))
_JOINS, _MORE_JOINS = _WORDS.phrase("joins"), _WORDS.phrase("more_joins")
_JOINED: Final = [
    (
        topic,
        compile_pattern(
            f"(?<={_TOPIC_MARK})(?:{_JOINS}|{_MORE_JOINS})+(?:我的?)?(?:{alternatives})|(?:{alternatives})(?:{_JOINS})+(?={_TOPIC_MARK})"
        ),
    )
    for topic, alternatives in _NOUN_WORDS.items()
]
_NARROW: Final = _WORDS.patterns("narrow")

_TELLING: Final = _WORDS.pattern("telling")


def read_chinese(said: str) -> SelfQuestion | None:
    """The question about oneself that a Chinese message asks; None for any other message."""
    if _CONTRARY.search(said):
        return None
    said = _CURIOUS.sub(" ", said)
    left, topics = _extract_topics(said)
    is_who = _SELF.search(left) is not None
    left = _SELF.sub(" ", left)
    told = _TOLD_BY_ME.search(left) is not None
    left = _TOLD_BY_ME.sub(" ", left)
    named = "" if topics else _own_noun(left)
    left = left.replace(named, " ", 1) if named else left
    asks = _ASKING.search(left) is not None
    rest = _ASKING.sub(" ", left)
    stored = _STORE.search(rest) is not None
    rest = _STORE.sub(" ", rest)
    knows = told or _KNOWING.search(rest) is not None
    rest = _KNOWING.sub(" ", rest)
    mentions_me = _ME.search(rest) is not None or "自己" in rest
    rest = _ME.sub(" ", rest)
    addressed = _YOU.search(said) is not None
    rest = _YOU.sub(" ", rest)
    asks = asks or is_who or _QUESTION.search(left) is not None or "?" in said or "？" in said
    rest = _FILLERS.sub("", _QUESTION.sub("", rest))
    # A question addressed to the assistant about 我 may hold one character that the grammar does not know.
    most_unknown_characters = 1 if addressed and _ABOUT_ME.search(said) else 0
    if len(_PUNCTUATION.sub("", rest.replace(_TOPIC_MARK, ""))) > most_unknown_characters or not asks:
        return None
    is_about_user = is_who or mentions_me or bool(topics) or bool(named)
    if is_about_user and (knows or stored or is_who):
        return SelfQuestion(topics, named)  # 你知道我的计划吗？
    if not named and _TELLING.search(said) and (mentions_me or topics):
        return SelfQuestion(topics, named)  # 说说我的计划
    asks_for_one = not _OF_MANY.isdisjoint(topics) and not _ALL_OF_THEM.search(said)
    if topics and set(topics) <= DIRECTLY_ASKED and _DIRECTLY.search(said) and not asks_for_one:
        return SelfQuestion(topics, named, is_direct=True)  # 我有哪些计划？
    if mentions_me and _OWN_FILE.search(said):
        return SelfQuestion(topics, named)  # 我的资料呢？
    return SelfQuestion() if told or _OPEN_MEMORY.search(said) else None  # 你记得什么？


def _own_noun(text: str) -> str:
    """The noun behind 我的 that is no other part of the question."""
    match = _OWN_NOUN.search(text)
    noun = match[1] if match else ""
    for pattern in (_STORE, _KNOWING, _ASKING, _QUESTION, _YOU, _FILLERS):
        noun = pattern.sub("", noun)
    return "" if _ME.fullmatch(f"我的{noun}") else noun


def _extract_topics(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with § for each topic, and the topics; the longest name first: 我的投资组合 before 我的投资."""
    found: dict[str, None] = {}
    narrow = [name for name, pattern in _NARROW.items() if pattern.search(text)]
    while match := _longest_topic(text):
        topic, start, end = match
        found[topic] = None
        text = f"{text[:start]}{_TOPIC_MARK}{text[end:]}"
    if not found and ("我" in text or "俺" in text):
        for topic, pattern in _BARE:
            text, number = pattern.subn(_TOPIC_MARK, text)
            if number:
                found[topic] = None
    if found:
        for topic, pattern in _JOINED:
            text, number = pattern.subn(_TOPIC_MARK, text)
            if number:
                found[topic] = None
    if narrow and set(found) == {"who"}:
        return text, tuple(narrow)
    return text, tuple(found)


def _longest_topic(text: str) -> tuple[str, int, int] | None:
    matches = [
        (topic, match.start(), match.end())
        for topic, pattern in (*_CLAUSES, *_NOUNS)
        if (match := pattern.search(text))
    ]
    return max(matches, key=lambda found: found[2] - found[1], default=None)
