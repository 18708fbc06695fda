"""Splits a text into the tokens that the grammars of time read, and remembers what each rule found where."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, wraps
from typing import Any, Final, TypeVar

_TOKEN: Final = re.compile(r"\d+|[a-z]+|[^\W\d_]|[^\w\s]|_", re.IGNORECASE)
SIMPLIFIED: Final = str.maketrans(
    "後週禮點兩個號時鐘這現開間內過從農曆來當紀歲於結還剩種幾數陰陽舊寶隆晝夜臘節聖誕國慶勞動婦兒親師裡過",
    "后周礼点两个号时钟这现开间内过从农历来当纪岁于结还剩种几数阴阳旧宝隆昼夜腊节圣诞国庆劳动妇儿亲师里过",
)
"""Traditional characters to simplified ones, one for one, so that positions in the text stay as they are."""
LOOK_AHEAD: Final = 40
"""Tokens that a rule may look at beyond the end of a text."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Token:
    """A run of digits, of Latin letters, or any other character alone, at ``[start, end)``; in lower case."""

    text: str
    start: int
    end: int
    written: str


@dataclass(slots=True)
class TokenStream:
    """The tokens of a text, with the clock to read them by and, in ``memory``, what each rule found where."""

    text: str
    now: datetime
    """The wall clock, without a zone."""
    clock: datetime
    """The same moment with its zone, if it has one."""
    tokens: list[Token] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    """The text of each token, and "" for as many places beyond the end as any rule looks ahead."""
    characters: str = ""
    """A character for each token: its own, "0" for figures, "a" for Latin letters."""
    memory: dict[tuple[str, int], Any] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, now: datetime) -> TokenStream:
        """The tokens of a text."""
        found = [
            Token(match.group().translate(SIMPLIFIED).lower(), *match.span(), match.group())
            for match in _TOKEN.finditer(text)
        ]
        words = [*(token.text for token in found), *[""] * LOOK_AHEAD]
        characters = "".join(word if len(word) == 1 else "0" if word[0].isdecimal() else "a" for word in words if word)
        return cls(text, now.replace(tzinfo=None), now, found, words, characters)

    def word(self, at: int) -> str:
        """The token there, "" beyond the ends."""
        return self.words[at] if at < len(self.words) else ""  # -1 is beyond the end as well

    def is_glued(self, at: int) -> bool:
        """Whether no space stands before the token."""
        return 0 < at < len(self.tokens) and self.tokens[at].start == self.tokens[at - 1].end

    def is_capital(self, at: int) -> bool:
        """Whether the token begins with a capital letter."""
        return 0 <= at < len(self.tokens) and self.tokens[at].written[:1].isupper()

    def skip(self, at: int, *words: str) -> int:
        """The place after the token, if it is among ``words``, else the same place."""
        return at + (self.word(at) in words)

    def after(self, at: int, phrase: str) -> int | None:
        """The place after the words of a phrase, None where others stand."""
        words = _split(phrase)
        return at + len(words) if self.words[at : at + len(words)] == words else None

    def after_any(self, at: int, phrases: tuple[str, ...]) -> int | None:
        """The place after the first of the phrases that stands there."""
        if self.word(at) not in _first_words(phrases):
            return None
        return next((end for phrase in phrases if (end := self.after(at, phrase)) is not None), None)


@cache
def _split(phrase: str) -> list[str]:
    return phrase.split()


@cache
def _first_words(phrases: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_split(phrase)[0] for phrase in phrases)


def rule(function: Callable[[TokenStream, int], T]) -> Callable[[TokenStream, int], T]:
    """Decorate a grammar rule so that it reads each place of a text only once: ``tokens.memory`` caches its results."""
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def remembering(tokens: TokenStream, at: int) -> T:
        key = (name, at)
        if key not in tokens.memory:
            tokens.memory[key] = function(tokens, at)
        found: T = tokens.memory[key]
        return found

    return remembering
