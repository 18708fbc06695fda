"""The value of a question about oneself, which the grammars, the classifier and the listing share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

DIRECTLY_ASKED: Final = frozenset(
    {"plans", "hobbies", "tastes", "allergies", "investing", "routine", "people", "pets", "answers"}
)
"""Topics whose list "What are my …?" asks for without a word of remembering."""


@dataclass(frozen=True, slots=True)
class SelfQuestion:
    """A question about oneself: ``topics`` by name, none for everything; ``named`` is a noun that no topic knows ("my
    drumming"); ``is_direct`` marks one without a word of remembering ("What are my plans?").
    """

    topics: tuple[str, ...] = ()
    named: str = ""
    is_direct: bool = False
