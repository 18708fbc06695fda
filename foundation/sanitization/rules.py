"""Rules of sanitization: an order template blocks the whole text, a payload is cut out of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

CUT = "[…]"


def holds_any(text: str, needles: tuple[str, ...]) -> bool:
    """Whether one of the needles stands in a text."""
    for needle in needles:  # noqa: SIM110  not any(): most texts hold none, and there are many templates
        if needle in text:
            return True
    return False


@dataclass(frozen=True, slots=True)
class OrderTemplate:
    """A pattern of orders to the assistant.

    It is tried only on folded text that holds one of ``needles``, and one of ``also`` if there are any: a cheap test
    before the regex. A match of its group ``denied`` ("never send …") forbids something and does not count.
    """

    rule: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    also: tuple[str, ...] = ()

    def hits(self, folded: str) -> bool:
        """Whether the template stands in ``folded``."""
        if not holds_any(folded, self.needles) or (self.also and not holds_any(folded, self.also)):
            return False
        return self._stands_in(folded)

    def _stands_in(self, folded: str) -> bool:
        return any(not match.groupdict().get("denied") for match in self.pattern.finditer(folded))


@dataclass(frozen=True, slots=True)
class CutPayload:
    """A pattern of code, markup or filler, cut out of the text as it stands."""

    rule: str
    pattern: re.Pattern[str]
    needles: tuple[str, ...] = ()
    sign: Callable[[str], bool] = bool
    """Where there are no needles: a cheap test whether the text may hold the pattern."""

    def may_stand_in(self, text: str, lower: str) -> bool:
        """Whether the pattern is worth trying on a text, given with its lower case."""
        return holds_any(lower, self.needles) if self.needles else self.sign(text)

    def cut(self, text: str) -> str:
        """``text`` with each occurrence replaced by a mark."""
        return self.pattern.sub(CUT, text)
