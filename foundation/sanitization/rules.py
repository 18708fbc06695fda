"""Rules of sanitization: an order template blocks the whole text, a payload is cut out of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

CUT = "[…]"


@dataclass(frozen=True, slots=True)
class OrderTemplate:
    """A pattern of orders to the assistant, tried on folded text that holds one of its needles.

    What is forbidden or denied ("never send …") is caught by the group ``denied`` and does not count.
    """

    rule: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]

    def hits(self, folded: str) -> bool:
        """Whether the template stands in ``folded``."""
        for needle in self.needles:  # not any(): most texts hold none, and there are many templates
            if needle in folded:
                return self._stands_in(folded)
        return False

    def _stands_in(self, folded: str) -> bool:
        return any(not match.groupdict().get("denied") for match in self.pattern.finditer(folded))


@dataclass(frozen=True, slots=True)
class CutPayload:
    """A pattern of code, markup or filler, cut out of the text as it stands."""

    rule: str
    pattern: re.Pattern[str]
    needles: tuple[str, ...] = ()

    def cut(self, text: str) -> str:
        """``text`` with each occurrence replaced by a mark."""
        if not self.needles:
            return self.pattern.sub(CUT, text)
        lower = text.lower()
        for needle in self.needles:  # not any(), as above
            if needle in lower:
                return self.pattern.sub(CUT, text)
        return text
