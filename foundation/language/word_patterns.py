"""Patterns of words that are known only at run time; the only place that builds such patterns."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=1024)
def whole_word(word: str, *, before: str = r"\w", after: str = r"\w", ignores_case: bool = False) -> re.Pattern[str]:
    """A pattern of the word as it is spelled, with no character of the class ``before`` in front of it and none of
    ``after`` behind. An empty class lets anything stand there.
    """
    starts = f"(?<![{before}])" if before else ""
    ends = f"(?![{after}])" if after else ""
    return re.compile(f"{starts}{re.escape(word)}{ends}", re.IGNORECASE if ignores_case else 0)
