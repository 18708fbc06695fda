"""Recognises requests to have a piece of work done, by rules in Chinese and English.

Only plain requests count: an order or polite question that names the work and its subject. Questions, statements, talk
about finished work, standing wishes and refusals do not; where nothing is started, the user is answered and can ask
again.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from finclaw.brain.understanding.aliases import asset_in
from finclaw.brain.understanding.finance import is_financial, tickers_in
from foundation.language import ParsedMessage, is_question, normalize, straighten_apostrophes
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

WorkKind = Literal["research", "other"]
FIRST: Final = 3  # sentences read at the beginning of a message
LAST: Final = 2  # sentences read at its end
READ_CHARACTERS: Final = 300  # of a sentence

_VIEW_EN = _WORDS.of("en").phrase("view")
_RESEARCH_EN: Final = _WORDS.of("en").pattern("research")
_OF_TRADE_EN: Final = _WORDS.of("en").pattern("of_trade")
_BARE_EN: Final = _WORDS.of("en").pattern("bare")
_RESEARCHED_EN: Final = _WORDS.of("en").pattern("researched")
_GOES_ON: Final = _WORDS.of("en").pattern("goes_on")
_PREDICATE_EN: Final = _WORDS.of("en").pattern("predicate")
_CLAUSE_EN: Final = _WORDS.of("en").pattern("clause")
_ASKS_EN: Final = _WORDS.of("en").pattern("asks")
_OF_MACHINES: Final = _WORDS.pattern("of_machines")
_OTHER_EN: Final = _WORDS.of("en").pattern("other")
_NOT_NOW_EN: Final = _WORDS.of("en").pattern("not_now")
_IS_POLITE_EN: Final = _WORDS.of("en").pattern("is_polite")

_RESEARCH_ZH: Final = _WORDS.of("zh").pattern("research")
_OF_TRADE_ZH: Final = _WORDS.of("zh").pattern("of_trade")
_ASKED_RESEARCH_ZH: Final = _WORDS.of("zh").pattern("asked_research")
_PREDICATE_ZH: Final = _WORDS.of("zh").pattern("predicate")
_OTHER_ZH: Final = _WORDS.of("zh").pattern("other")
_NOT_NOW_ZH: Final = _WORDS.of("zh").pattern("not_now")
_IS_POLITE_ZH: Final = _WORDS.of("zh").pattern("is_polite")


def outer_sentences(message: ParsedMessage) -> list[str]:
    """The first and last sentences of a message: what it wants stands at an end, material between is not read."""
    sentences = message.sentences
    read = sentences if len(sentences) <= FIRST + LAST else [*sentences[:FIRST], *sentences[-LAST:]]
    return [sentence[:READ_CHARACTERS] for sentence in read]


def requested_work(message: ParsedMessage) -> WorkKind | None:
    """The kind of work that the first requesting sentence asks for: research, something else, or None."""
    return next(filter(None, map(_work_in_sentence, outer_sentences(message))), None)


def request_sentence(message: ParsedMessage) -> str:
    """The sentence that asks for work, normalized; without a plain one, everything that is read of the message."""
    read = outer_sentences(message)
    return _fold_sentence(next(filter(_work_in_sentence, read), "\n".join(read)))


def requests_politely(sentence: str) -> bool:
    """Whether a sentence opens with a polite request: "could you", "麻烦你"."""
    said = _fold_sentence(sentence)
    return bool(_IS_POLITE_EN.match(said) or _IS_POLITE_ZH.match(said))


def _fold_sentence(sentence: str) -> str:
    return straighten_apostrophes(normalize(sentence))


def _work_in_sentence(sentence: str) -> WorkKind | None:
    said = _fold_sentence(sentence)
    if _NOT_NOW_EN.search(said) or _NOT_NOW_ZH.search(said):
        return None
    if is_question(said) and not requests_politely(sentence):
        return None
    if _OTHER_EN.match(said) or _OTHER_ZH.match(said):
        return "other"
    return "research" if _asks_for_research(sentence, said) else None


def _asks_for_research(sentence: str, said: str) -> bool:
    if _OF_MACHINES.search(said):
        return False
    found = _RESEARCH_EN.match(said) or (is_financial(sentence) and _match_trade_en(said)) or None
    if found:
        return bool(_ASKS_EN.search(said[: found.start("asked")])) or not _goes_on_as_statement(
            said[found.end("asked") - 1 :]
        )
    found = _RESEARCH_ZH.match(said) or (is_financial(sentence) and _match_trade_zh(said)) or None
    if found:
        return _PREDICATE_ZH.search(said[found.end("asked") :]) is None
    return _names_asset_alone(sentence, said)


def _match_trade_en(said: str) -> re.Match[str] | None:
    return _OF_TRADE_EN.match(said) or _RESEARCHED_EN.match(said)


def _match_trade_zh(said: str) -> re.Match[str] | None:
    return _OF_TRADE_ZH.match(said) or _ASKED_RESEARCH_ZH.match(said)


def _goes_on_as_statement(rest: str) -> bool:
    """Whether the main clause goes on as a statement, as in "research takes time"."""
    return _PREDICATE_EN.search(_CLAUSE_EN.split(rest, maxsplit=1)[0]) is not None


def _names_asset_alone(sentence: str, said: str) -> bool:
    """Whether a bare verb is followed by an asset, as in "research NVDA"."""
    found = _BARE_EN.match(said)
    if found is None or _goes_on_as_statement(found["object"]):
        return False
    names = [asset_in(sentence), *tickers_in(sentence)]
    named = next((name.lower() for name in names if name and found["object"].lstrip("$").startswith(name.lower())), "")
    return bool(named) and _GOES_ON.match(found["object"].lstrip("$")[len(named) :]) is not None
