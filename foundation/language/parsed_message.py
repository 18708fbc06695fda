"""Caches the sentences, normalized forms and language of a message for all code that analyses it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from foundation.language.language_choice import Language, language_of
from foundation.language.normalization import normalize
from foundation.language.sentences import split_sentences


@dataclass(frozen=True)
class ParsedMessage:
    """A message with its sentences, its normalized forms and its language, each worked out when first asked for.

    A turn makes one and passes it to whatever reads the message: intent, questions about oneself, style wishes, skills.
    """

    text: str

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The sentences in order, as ``split_sentences`` finds them."""
        return tuple(split_sentences(self.text))

    @cached_property
    def normalized(self) -> str:
        """The text folded in width, case and Chinese script."""
        return normalize(self.text)

    @cached_property
    def spoken(self) -> str:
        """The normalized text with straight apostrophes and single spaces: the form that grammars read."""
        return " ".join(straighten_apostrophes(self.normalized).split())

    @cached_property
    def language(self) -> Language:
        """The language of the text, of those that the assistant writes."""
        return language_of(self.text)


def straighten_apostrophes(text: str) -> str:
    """The text with the typographic apostrophe as the one of a keyboard, so that "don’t" is one word in tables."""
    return text.replace("’", "'")
