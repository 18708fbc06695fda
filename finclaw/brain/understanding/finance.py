"""Whether a text speaks of finance: an asset, a ticker or a term of the trade, in Chinese and English."""

from __future__ import annotations

import re
from typing import Final

from finclaw.brain.understanding.aliases import asset_in, other_names
from foundation.text import normalize

# Not \b: a Chinese character beside a ticker is a letter too.
_TICKERS: Final = re.compile(r"(?<![A-Za-z0-9.])(?:\d{4,6}\.(?:SH|SZ|HK)|[A-Z]{2,5}(?:\.[A-Z])?)(?![A-Za-z0-9])")
_NOT_TICKERS: Final = frozenset(
    {"OK", "AI", "US", "UK", "EU", "CEO", "CFO", "IPO", "ETF", "GDP", "CPI", "FAQ", "I", "TV", "PC",
     "DNA", "NASA", "USB"}
)  # fmt: skip
_WORDS: Final = re.compile(
    r"\b(?:stocks?|shares|equit(?:y|ies)|bonds?|markets?|funds?|etfs?|ipos?|earnings|margins?|revenues?|profits?"
    r"|dividends?|yields?|prices|inflation"
    r"|rates?|fomc|fed|ecb|opec|tariffs?|sanctions|capex|crypto|currenc(?:y|ies)|forex|commodit(?:y|ies)|copper"
    r"|silver|gold|oil|lithium|uranium|nickel|wheat"
    r"|portfolio|holdings|investments?|investing|investors?|thes[ie]s|valuations?|banks|sectors?|industry"
    r"|econom(?:y|ic|ics)|recession|trade|trading|semiconductors?|chips)\b"
    r"|股|债|基金|市场|行业|板块|财报|业绩|利润|毛利|营收|分红|估值|通胀|利率|降息|加息|央行|关税|制裁|经济|衰退"
    r"|投资|持仓|仓位|组合|加密|货币|汇率|大宗|商品期货"
    r"|铜|白银|黄金|原油|石油|锂|铀|镍|芯片|半导体|房地产|楼市|新能源|光伏|银行|券商|保险业|etf|ipo"
)


def tickers_in(text: str) -> list[str]:
    """The tickers in a text, as written, each once."""
    return [ticker for ticker in dict.fromkeys(_TICKERS.findall(text)) if ticker not in _NOT_TICKERS]


def is_financial(text: str) -> bool:
    """Whether a text names an asset, a ticker or a term of finance."""
    return bool(tickers_in(text) or asset_in(text) or other_names(text) or _WORDS.search(normalize(text)))
