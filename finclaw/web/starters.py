"""Starter prompts of an empty chat, in the reader's language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest
from django.utils.translation import get_language

from consent.permit import Permit
from foundation.language import (
    Language,
)
from memory.research.profile_context import profile_context


@dataclass(frozen=True)
class Starter:
    """A starter prompt. With ``is_begun`` its text is put into the composer for the user to finish, else it is sent."""

    text: str
    is_begun: bool = False
    key: str = ""

    @property
    def label(self) -> str:
        """The text of its button."""
        return f"{self.text.rstrip()}…" if self.is_begun else self.text


STARTERS: Final[dict[Language, tuple[Starter, ...]]] = {
    "en": (
        Starter("Remember that I ", is_begun=True, key="remember"),
        Starter("What do you remember about me?"),
        Starter("From now on, keep your answers short"),
    ),
    "zh": (
        Starter("请记住，我", is_begun=True, key="remember"),
        Starter("你记得我的哪些事？"),
        Starter("以后请回答得简短一点"),
    ),
}


def starters_for(permit: Permit) -> tuple[Starter, ...]:
    """The starters in the language chosen under Settings, else in that of the page."""
    return STARTERS[reader_language(permit)]


def starter_draft(request: HttpRequest, permit: Permit) -> str:
    """The beginning of a message that ``?begin=`` asks for; "" for an unknown key."""
    key = request.GET.get("begin", "")
    begun = (starter.text for starter in starters_for(permit) if starter.is_begun and starter.key == key)
    return next(begun, "")


def reader_language(permit: Permit) -> Language:
    """The reader's language: as chosen under Settings, else that of the page."""
    stated = profile_context(permit)
    chosen = stated.language_preference if stated else ""
    return "zh" if (chosen or get_language() or "").startswith("zh") else "en"
