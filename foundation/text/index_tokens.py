"""Index tokens of full-text search and hashed vectors, for Chinese and English alike.

PostgreSQL's own parsers find nothing in Chinese, so the analyzer is ours: Latin words are stemmed, CJK
runs become overlapping bigrams, tickers, numbers and dates stay whole. A compound (``600519.SH``,
``BTC/USDT``, ``12.5%``) is followed by its bare part, so that either spelling finds it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

import snowballstemmer

from foundation.language.normalization import normalize
from foundation.language.script import CJK_RANGES
from foundation.language.tables import tables_of

MAX_TOKEN_LENGTH: Final = 64
"""Characters kept of one token; longer runs are keys or noise, and an index has no use for their end."""

_STOP_WORDS: Final = tables_of("en").grammar_words
_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])", r"(?:3[01]|[12][0-9]|0?[1-9])"
_EXCHANGES = "sh|ss|sz|bj|hk|us|tw|to|ax|ks|kq|si|de|pa|as|sw"
_QUOTE_CURRENCIES = "usdt?|usdc|busd|btc|eth|cny|cnh|rmb|eur|jpy|gbp|hkd|chf|aud|cad|sgd"

_PATTERN = re.compile(
    rf"""
      (?P<date>(?<!\d)[0-9]{{4}}(?P<mark>[-/.]){_MONTH}(?P=mark){_DAY}(?!\d)
             | (?<!\d)(?:[0-9]{{4}}年)?{_MONTH}月(?:{_DAY}[日号])?)
    | (?P<cashtag>\$[a-z]{{1,5}}(?:\.[a-z]{{1,2}})?(?![^\W_]))
    | (?P<ticker>(?<![^\W_{CJK_RANGES}])(?:[0-9]{{4,6}}|[a-z]{{1,5}})
                 \.(?:{_EXCHANGES}|[a-z])(?![^\W_{CJK_RANGES}]|['’]))
    | (?P<pair>(?<![^\W_{CJK_RANGES}])[a-z0-9]{{2,10}}/(?:{_QUOTE_CURRENCIES})(?![^\W_{CJK_RANGES}]))
    | (?P<share_class>[abh]股)
    | (?P<number>[¥$€£]?\d+(?:,\d{{3}})*(?:\.\d+)?%?(?![^\W_{CJK_RANGES}]))
    | (?P<cjk>[{CJK_RANGES}]+)
    | (?P<word>[^\W_{CJK_RANGES}]+(?:['’][^\W\d_{CJK_RANGES}]+)*)
    """,
    re.VERBOSE,
)
_DIGITS = re.compile(r"\d+")
_PARTS = re.compile("[./]")


def tokenize(text: str) -> list[str]:
    """The index tokens of ``text``, in order and with repeats; none for a text of stop words alone.

    Each is 1 to 64 characters of letters, digits and ``. - / % ¥ $ € £``: no white space, quote,
    backslash, colon or NUL, so inside single quotes it is a PostgreSQL lexeme as it stands.
    """
    return [
        token[:MAX_TOKEN_LENGTH]
        for match in _PATTERN.finditer(normalize(text))
        for token in _READERS[match.lastgroup or ""](match.group())
    ]


def token_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """The index tokens of ``text`` with where each stands in ``normalize(text)``: from, to (excluded), token."""
    for match in _PATTERN.finditer(normalize(text)):
        start, end = match.span()
        if match.lastgroup == "cjk" and end - start > 1:
            run = match.group()
            yield from ((start + place, start + place + 2, run[place : place + 2]) for place in range(len(run) - 1))
        else:
            for token in _READERS[match.lastgroup or ""](match.group()):
                yield start, end, token[:MAX_TOKEN_LENGTH]


def _date(text: str) -> Iterator[str]:
    """``2023年5月8日``: the date, the year, the day of the year, the month. Month alone: ``5月``."""
    parts = _DIGITS.findall(text)
    year = parts.pop(0) if len(parts[0]) == 4 else ""
    if len(parts) == 2:
        day = f"{int(parts[0]):02}-{int(parts[1]):02}"
        yield from (f"{year}-{day}", day) if year else (day,)
    if year:
        yield year
    yield f"{int(parts[0])}月"


def _cashtag(text: str) -> Iterator[str]:
    symbol = text.removeprefix("$")
    return _compound(symbol) if "." in symbol else iter((_stem(symbol),))


def _compound(text: str) -> Iterator[str]:
    yield text
    yield _stem(_PARTS.split(text, maxsplit=1)[0])


def _number(text: str) -> Iterator[str]:
    whole = text.replace(",", "")
    yield whole
    bare = whole.strip("¥$€£%")
    if bare != whole:
        yield bare


def _cjk(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for left, right in pairwise(run):
        yield left + right


def _word(text: str) -> Iterator[str]:
    word = text.replace("’", "'")
    if word not in _STOP_WORDS:
        yield _stem(word)


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    # A stemmer keeps the word it works on: one shared between threads would mix words up.
    stem: str = snowballstemmer.stemmer("english").stemWord(word)
    return stem.replace("'", "") or word.replace("'", "")


_READERS: Final[dict[str, Callable[[str], Iterator[str]]]] = {
    "date": _date,
    "cashtag": _cashtag,
    "ticker": _compound,
    "pair": _compound,
    "share_class": lambda text: iter((text,)),
    "number": _number,
    "cjk": _cjk,
    "word": _word,
}
