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
from finclaw.brain.understanding.intent import entities
from foundation.language import normalize, whole_word
from foundation.lexicon import read_lexicon
from foundation.text import tokenize
from memory.models import ObjectKind
from memory.research.types import CognitionObject

_WORDS: Final = read_lexicon(__file__)

_EVENT = _WORDS.pattern("event", re.IGNORECASE)
_LEAD = _WORDS.pattern("lead", re.IGNORECASE)
_AROUND = _WORDS.pattern("around", re.IGNORECASE)
_NO_TOPIC = re.compile(rf"(?:{_WORDS.phrase('no_topic')})+", re.IGNORECASE)
_CITED = _WORDS.pattern("cited", re.IGNORECASE)
_MARKS = " \t.,;:!?。，；：！？、"
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
    topic = _topic_of(about) or prompt.strip()[:_NAME_CHARS]
    asset, event = _asset_in_sentence(about, names), _EVENT.search(about)
    if event is not None:
        return CognitionObject(ObjectKind.EVENT, f"{asset} {event.group()}".strip() if asset else topic)
    return CognitionObject(ObjectKind.ASSET, asset) if asset else CognitionObject(ObjectKind.THEME, topic)


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
    return bool(_asset_in_sentence(sentence, names)) or _NO_TOPIC.fullmatch(_topic_of(sentence)) is None


def _topic_of(sentence: str) -> str:
    topic = _LEAD.sub("", sentence).strip(_MARKS)
    for _ in range(2):  # "the evidence behind the claim that"
        topic = _AROUND.sub("", topic).strip(_MARKS)
    return topic[:_NAME_CHARS].strip(_MARKS)


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
    plain = _POSSESSIVE.sub("", sentence)
    return asset_in(plain, names) or next(iter(entities(plain).get("tickers", ())), "")
