"""What an empty chat proposes to begin with, in the reader's language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from django.http import HttpRequest
from django.utils.translation.trans_real import parse_accept_lang_header

from consent.permit import Permit
from memory.services.profile_context import profile_context

Language = Literal["en", "zh"]


@dataclass(frozen=True)
class Starter:
    """A prompt to begin with; one that ``is_begun`` stands in the composer to be finished, any other is sent."""

    text: str
    is_begun: bool = False
    key: str = ""

    @property
    def label(self) -> str:
        """What its button says."""
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


def starters_for(request: HttpRequest, permit: Permit) -> tuple[Starter, ...]:
    """The prompts in the language somebody chose under Settings, else in the one their browser asks for first."""
    return STARTERS[reader_language(request, permit)]


def starter_draft(request: HttpRequest, permit: Permit) -> str:
    """The beginning of a message that ``?begin=`` asks for; nothing for a key that is none."""
    key = request.GET.get("begin", "")
    begun = (starter.text for starter in starters_for(request, permit) if starter.is_begun and starter.key == key)
    return next(begun, "")


def reader_language(request: HttpRequest, permit: Permit) -> Language:
    """The language somebody reads: what they chose under Settings, else what their browser asks for first."""
    stated = profile_context(permit)
    chosen = stated.language_preference if stated else ""
    accepted = parse_accept_lang_header(request.headers.get("Accept-Language", ""))
    first = chosen or (accepted[0][0] if accepted else "")
    return "zh" if first.startswith("zh") else "en"
