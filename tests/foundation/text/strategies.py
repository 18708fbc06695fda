"""Texts as people and machines send them."""

from __future__ import annotations

from hypothesis import strategies as st

any_text = st.text(alphabet=st.characters(exclude_categories=()), max_size=200)
"""Every code point, lone surrogates and NUL included."""

_WHOLE = "600519.SH $BRK.B BTC/USDT 1,234.5 12.5% ￥500 2023-05-08 5月4号 A股 茅台 貴州 don't it’s ＡＡＰＬ"
_PARTS = ["股", "年", "月", "x" * 100, " ", "'", "\\", ":", "\0", ".", "/", "，"]

market_text = st.lists(st.sampled_from([*_WHOLE.split(), *_PARTS]), max_size=20).map("".join)
"""What a regular expression for tickers, numbers and dates may trip over, in any order."""
