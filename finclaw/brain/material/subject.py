"""Finds what a piece of research is about: an asset, an event or a theme.

The sentence that asks decides; a cited source, or a name in pasted material, is not the object.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from finclaw.brain.material.citations import names_source
from finclaw.brain.material.reading import asking_sentence, request_sentences, sentences
from finclaw.brain.understanding.aliases import AliasGroup, asset_in, other_names
from finclaw.brain.understanding.finance import tickers_in
from foundation.language import language_of, normalize, whole_word
from foundation.lexicon import read_lexicon
from foundation.text import tokenize
from memory.models import ObjectKind
from memory.research.asset_names import canonical_name
from memory.research.types import CognitionObject

_WORDS: Final = read_lexicon(__file__)

_EVENT = _WORDS.pattern("event", re.IGNORECASE)
_LEAD = _WORDS.pattern("lead", re.IGNORECASE)
_AROUND = _WORDS.pattern("around", re.IGNORECASE)
_NO_TOPIC = re.compile(rf"(?:{_WORDS.phrase('no_topic')})+", re.IGNORECASE)
_CITED = _WORDS.pattern("cited", re.IGNORECASE)
_MARKS = " \t.,;:!?。，；：！？、"
_PRONOUN = _WORDS.pattern("pronoun", re.IGNORECASE)
_CODE = _WORDS.pattern("code", re.IGNORECASE)
_HEAD = frozenset(_WORDS.of("en").words("frame_head"))
_TAIL = frozenset(_WORDS.of("en").words("frame_tail"))
_OPINION = frozenset(_WORDS.of("en").words("opinion"))
_COPULA = frozenset(_WORDS.of("en").words("copula"))
_CHINESE_HEAD = sorted(_WORDS.of("zh").words("frame_head"), key=len, reverse=True)
_CHINESE_TAIL = sorted(_WORDS.of("zh").words("frame_tail"), key=len, reverse=True)
_POSSESSIVE = re.compile(r"['’]s\b")
_NAME_CHARS = 60
_SHORT_TICKER = re.compile(r"[A-Z]{1,3}")  # also an ordinary word, unless in capitals


def find_object(prompt: str, names: Collection[AliasGroup] = ()) -> CognitionObject:
    """The object of a prompt: the event it asks about, else the asset, else the theme.

    Read from the asking sentence; where that has no topic ("What could go wrong?"), from the first sentence of the
    user's own that has one. An event keeps the asset in its name: "NVDA earnings" is not NVDA. ``names`` are the
    organisation's own.
    """
    own = [_CITED.sub("", sentence) for sentence in _own_sentences(prompt)]
    about = next((sentence for sentence in own if has_topic(sentence, names)), _CITED.sub("", asking_sentence(prompt)))
    topic = _topic_of(about) if has_topic(about, names) else prompt.strip()[:_NAME_CHARS].strip(_MARKS)
    asset, event = _asset_in_sentence(about, names), _EVENT.search(about)
    if event is not None:
        return CognitionObject(ObjectKind.EVENT, f"{asset} {event.group()}" if asset else _up_to_event(topic))
    return CognitionObject(ObjectKind.ASSET, asset) if asset else CognitionObject(ObjectKind.THEME, topic)


def shown_name(prompt: str, names: Collection[AliasGroup] = ()) -> str:
    """The one name of a prompt's object, in the prompt's language."""
    return canonical_name(find_object(prompt, names), language_of(asking_sentence(prompt)), names)


def find_asset(prompt: str, names: Collection[AliasGroup] = ()) -> str:
    """The first asset anywhere in a prompt; "" for none."""
    return next(filter(None, (_asset_in_sentence(sentence, names) for sentence in sentences(prompt))), "")


def _own_sentences(prompt: str) -> list[str]:
    """The requests, then the other sentences that cite no source: a question may rest on what is said before it."""
    requests = request_sentences(prompt)
    return [
        *requests,
        *(sentence for sentence in sentences(prompt) if sentence not in requests and not names_source(sentence)),
    ]


def has_topic(sentence: str, names: Collection[AliasGroup]) -> bool:
    """Whether a sentence names an asset, or anything besides words of asking and of research."""
    if _asset_in_sentence(sentence, names):
        return True
    topic = _topic_of(sentence)
    return bool(topic) and _NO_TOPIC.fullmatch(topic) is None


def refers_back(prompt: str, names: Collection[AliasGroup] = ()) -> bool:
    """Whether a prompt names no object of its own: nothing in it has a topic, or what it asks is about "it" and no
    asset is named anywhere.
    """
    if find_asset(prompt, names):
        return False
    asked = asking_sentence(prompt)
    is_of_it = _PRONOUN.search(asked) is not None and not has_topic(asked, names)
    return is_of_it or not any(has_topic(sentence, names) for sentence in _own_sentences(prompt))


def _topic_of(sentence: str) -> str:
    topic = _LEAD.sub("", sentence).strip(_MARKS)
    for _ in range(2):  # "the evidence behind the claim that"
        topic = _AROUND.sub("", topic).strip(_MARKS)
    return _without_frame(topic)[:_NAME_CHARS].strip(_MARKS)


def _up_to_event(topic: str) -> str:
    """A topic without what is asked behind its event."""
    found = _EVENT.search(topic)
    return topic[: found.end()].strip(_MARKS) if found else topic


def _without_frame(topic: str) -> str:
    """A topic without the words of asking and judging around it: "where does copper stand now" is about copper."""
    words = topic.split()
    first, last = 0, len(words)
    while first < last and _bare(words[first]) in _HEAD:
        first += 1
    while last > first and _bare(words[last - 1]) in _TAIL:
        last -= 1
    if _OPINION.isdisjoint(map(_bare, words[:first])):
        return _without_chinese_frame(" ".join(words[first:last]))
    said_of = (place for place in range(first, last) if _bare(words[place]) in _COPULA)
    return _without_chinese_frame(" ".join(words[first : next(said_of, last)]))


def _bare(word: str) -> str:
    return word.lower().strip(_MARKS + "'’\"“”()")


def _without_chinese_frame(topic: str) -> str:
    start, end = 0, len(topic)
    while found := next((word for word in _CHINESE_HEAD if topic.startswith(word, start, end)), ""):
        start += len(found)
    while found := next((word for word in _CHINESE_TAIL if topic.endswith(word, start, end)), ""):
        end -= len(found)
        end = start + len(topic[start:end].rstrip(_MARKS))
    return topic[start:end]


def speaks_of(text: str, name: str, names: Collection[AliasGroup] = ()) -> bool:
    """Whether a sentence of the text mentions ``name``: all its words in any order, each as written or by
    another name.
    """
    return any(_names_object(_POSSESSIVE.sub("", sentence), name, names) for sentence in sentences(text))


def _names_object(sentence: str, name: str, names: Collection[AliasGroup]) -> bool:
    others = other_names(sentence, names)
    if _SHORT_TICKER.fullmatch(name):
        ticker = whole_word(name, before="A-Za-z0-9.", after="A-Za-z0-9")
        return name in others or ticker.search(sentence) is not None
    wanted = set(tokenize(name))
    if wanted:
        return wanted <= {*tokenize(sentence), *(token for other in others for token in tokenize(other))}
    return normalize(name) in normalize(sentence)


def _asset_in_sentence(sentence: str, names: Collection[AliasGroup]) -> str:
    """The asset a sentence names: one that is known by a name, else a ticker, else what is written like a code."""
    plain = _POSSESSIVE.sub("", sentence)
    known = asset_in(plain, names) or next(iter(tickers_in(plain)), "")
    if known:
        return known
    code = _CODE.search(plain)
    return code.group().upper().lstrip("$") if code else ""
