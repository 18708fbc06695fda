"""The values of the trained guards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GuardName = Literal["boundary", "injection"]
"""``boundary``: the text asks the assistant to act on a market, or claims that it did. ``injection``: the text gives
the assistant orders that it should not take from there.
"""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a guard found in a text.

    ``odds`` are the log odds given by the classifier that decided, above its threshold where ``is_positive``; None
    where patterns decided alone. ``read_in_context`` says whether the sentence encoder was used.
    """

    odds: float | None
    is_positive: bool
    read_in_context: bool = False
