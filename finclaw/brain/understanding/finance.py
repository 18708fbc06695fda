"""Whether a text speaks of finance: an asset, a ticker or a term of the trade, in Chinese and English."""

from __future__ import annotations

import re
from typing import Final

from finclaw.brain.understanding.aliases import asset_in, other_names
from foundation.language import normalize
from foundation.lexicon import read_lexicon

_LEXICON: Final = read_lexicon(__file__)

# Not \b: a Chinese character beside a ticker is a letter too.
_TICKERS: Final = re.compile(r"(?<![A-Za-z0-9.])(?:\d{4,6}\.(?:SH|SZ|HK)|[A-Z]{2,5}(?:\.[A-Z])?)(?![A-Za-z0-9])")
_NOT_TICKERS: Final = frozenset(_LEXICON.of("en").words("not_tickers"))
_FINANCIAL: Final = _LEXICON.pattern("words")


def tickers_in(text: str) -> list[str]:
    """The tickers in a text, as written, each once."""
    return [ticker for ticker in dict.fromkeys(_TICKERS.findall(text)) if ticker not in _NOT_TICKERS]


def is_financial(text: str) -> bool:
    """Whether a text names an asset, a ticker or a term of finance."""
    return bool(tickers_in(text) or asset_in(text) or other_names(text) or _FINANCIAL.search(normalize(text)))
