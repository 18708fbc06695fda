"""Django system checks that a model's window can hold what a prompt never cuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured

from finclaw.brain.prompt.budget import BOUNDS, FixedNeeds, Slot, least_window, safety_margin
from finclaw.brain.prompt.guides import MOST_TOKENS
from finclaw.brain.prompt.layers import SAFETY_POLICY
from foundation.text import estimate_tokens
from personas.configuration import configured_persona


@register()
def the_context_window_holds_what_cannot_be_cut(
    app_configs: Sequence[AppConfig] | None = None, **_: Any
) -> list[CheckMessage]:
    """E001: the incompressible slots do not fit the model's window. E002: they fit, but not with the longest accepted
    message. E003: a reply may be longer than its slot.
    """
    window, reply = settings.MODEL_CONTEXT_WINDOW, settings.MODEL_MAX_OUTPUT_TOKENS
    room = window - safety_margin(window)
    larger = "Set MODEL_CONTEXT_WINDOW to the window of a larger model."
    errors = []
    if least_window(FixedNeeds()) > room:
        errors.append(Error("The model's context window is too small for a turn.", hint=larger, id="brain.E001"))
    elif least_window(FixedNeeds(_system_tokens(), settings.MAX_MESSAGE_CHARS, reply)) > room:
        # A character is at most one token.
        hint = f"{larger[:-1]}, or lower MAX_MESSAGE_CHARS."
        errors.append(Error("The longest message does not fit the model's context window.", hint=hint, id="brain.E002"))
    if reply > BOUNDS[Slot.GENERATION_BUFFER].most:
        hint = f"Set MODEL_MAX_OUTPUT_TOKENS to {BOUNDS[Slot.GENERATION_BUFFER].most} or less."
        errors.append(Error("Replies may be longer than the window keeps room for.", hint=hint, id="brain.E003"))
    return list(errors)


def _system_tokens() -> int:
    """Tokens of the system text that is never cut, with the longest guides and the longest persona possible."""
    try:
        longest_persona = configured_persona().max_chars
    except ImproperlyConfigured:  # personas.E001 says so
        longest_persona = 0
    return estimate_tokens(SAFETY_POLICY) + MOST_TOKENS + longest_persona
