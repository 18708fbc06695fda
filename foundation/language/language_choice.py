"""Recognizes the languages of a text, by its script and its grammar words."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, Literal

from foundation.language.script import cjk_share
from foundation.language.tables import LanguageTables, Script, written_in

Language = Literal["en", "zh"]
"""A language that the assistant writes; it reads every one that has a folder."""

_WRITTEN: Final = MappingProxyType[str | None, Language]({"en": "en", "zh": "zh"})
_MOSTLY: Final = 0.5  # share of Chinese characters from which a text is Chinese, whatever words stand in it
_PARTLY: Final = 0.25  # share from which it is, where both languages have as many grammar words


def languages_in(text: str) -> tuple[LanguageTables, ...]:
    """The languages whose words a text may hold, its own first: of each script that has letters in it, one.

    Where one script has half of the letters or more, it decides. In mixed text ("我 follow BTC", "I follow 贵州茅台")
    the grammar words decide, since names and tickers keep their script in any language; in a draw, a language without
    spaces needs a quarter of the letters: a character says as much as several letters.
    """
    share = cjk_share(text)
    if share in (0, 1):
        return (_likeliest("cjk" if share else "alphabetic", text),)
    alphabetic, cjk = _likeliest("alphabetic", text), _likeliest("cjk", text)
    if share >= _MOSTLY:
        return cjk, alphabetic
    more = cjk.grammar_words_in(text) - alphabetic.grammar_words_in(text)
    return (cjk, alphabetic) if more > 0 or (more == 0 and share >= _PARTLY) else (alphabetic, cjk)


def language_of(text: str) -> Language:
    """The language of a text, of those that the assistant writes; English for any other."""
    return _WRITTEN.get(languages_in(text)[0].code, "en")


def answer_language(text: str, preference: str | None) -> Language:
    """The language to answer a message in: the one its writer prefers, else that of the message."""
    return _WRITTEN.get(preference) or language_of(text)


def _likeliest(script: Script, text: str) -> LanguageTables:
    """The language of a script with most grammar words in a text; in a draw, one that the assistant writes."""
    written = written_in(script)
    if len(written) == 1:
        return written[0]
    return max(written, key=lambda tables: (tables.grammar_words_in(text), tables.code in _WRITTEN))
