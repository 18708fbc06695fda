"""Composes the canonical text of an event: its date, its subject, what happened."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Final

from foundation.language import Language, language_of, split_sentences
from foundation.language.inflection import is_common_verb, is_past_tense
from foundation.lexicon import read_lexicon
from memory.rewriting.persons import with_spacing
from memory.rewriting.protected_spans import without_quotations
from memory.rewriting.time_phrases import chinese_date, english_date
from memory.rewriting.types import Draft

_WORDS: Final = read_lexicon(__file__)

_VERBS_ZH: Final = _WORDS.of("zh").pattern("verbs")
_FIRST_WORD: Final = re.compile(r"[A-Za-z]+")
_LETTER: Final = re.compile(r"[^\W\d_]")
_JOINED: Final[Mapping[Language, Callable[[Iterable[str]], str]]] = {"zh": "".join, "en": " ".join}
_ENDS: Final = "。！？.!?…"


def compose_text(did_what: str, new_info: str, draft: Draft, day: date, language: Language | None = None) -> str:
    """``8 May 2023: FinClaw answered … . Alice likes …`` or its Chinese form; "" without any text.

    Where the parts, or their sentences, are in two languages, each language stands by itself with a date of its own;
    ``language`` makes all one.
    """
    names = tuple(name for name in (draft.sender_name, draft.assistant_name) if name)
    told: dict[Language, list[str]] = {}
    for text, who in ((did_what.strip(), draft.assistant_name), (new_info.strip(), draft.sender_name)):
        for written_in, words in ({language: text} if language else _by_language(text)).items():
            sentence = _chinese if written_in == "zh" else _english
            told.setdefault(written_in, []).extend([sentence(words, who, names)] if words else [])
    heads = ((date_head(day, written_in), _JOINED[written_in](parts)) for written_in, parts in told.items() if parts)
    return " ".join(f"{head}{words}" for head, words in heads)


def _by_language(text: str) -> dict[Language, str]:
    """The sentences of a text by language. One without a letter outside quotation marks goes with the one before it:
    a quoted question may have split a sentence in two.
    """
    language = language_of_own_words(text)
    told: dict[Language, list[str]] = {}
    for sentence in split_sentences(text):
        language = language_of_own_words(sentence) if _LETTER.search(without_quotations(sentence)) else language
        told.setdefault(language, []).append(sentence)
    return {language: text} if len(told) < len(_JOINED) else {script: _JOINED[script](told[script]) for script in told}


def date_head(day: date, language: Language) -> str:
    """The date that an event's text opens with."""
    return f"{chinese_date(day)}：" if language == "zh" else f"{english_date(day)}: "


def language_of_own_words(text: str) -> Language:
    """The language of a text: of its own words where it quotes others."""
    own = without_quotations(text)
    return language_of(own if _LETTER.search(own) else text)


def _english(text: str, who: str, names: tuple[str, ...]) -> str:
    """The text with a subject: its own, ``who`` before a bare verb, else ``who`` as the source."""
    first = _FIRST_WORD.match(text)
    if text.startswith(names):
        return with_end_mark(text, ".")
    if first and _lacks_subject(first.group()):
        return with_end_mark(f"{who} {text[:1].lower()}{text[1:]}", ".")
    return with_end_mark(text if who and who in text else f"{who}: {text}", ".")


def _lacks_subject(word: str) -> bool:
    """Whether a text that begins with this word lacks its subject: the word is a verb in the past or the third person,
    "answered", "prefers". A bare verb is an order and lacks none.
    """
    lower = word.lower()
    stems = {lower.removesuffix("s"), lower.removesuffix("es")} - {lower}
    return is_past_tense(lower) or any(is_common_verb(stem) for stem in stems)


def _chinese(text: str, who: str, names: tuple[str, ...]) -> str:
    if text.startswith(names) or (who and who in text):
        return with_end_mark(text, "。")
    return with_end_mark(f"{with_spacing(who, after=text)}{text}" if _VERBS_ZH.match(text) else f"{who}：{text}", "。")


def with_end_mark(text: str, mark: str) -> str:
    """The text with an end mark: its own, or ``mark``."""
    return text if text.endswith(tuple(_ENDS)) else text + mark
