"""What the brain needs of its settings is checked at start, not in the middle of a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured

from finclaw.brain.budget import BOUNDS, Slot, least_window, safety_margin
from finclaw.brain.prompt import MEMORY_GUIDE, SAFETY_POLICY
from foundation.text import estimate_tokens
from personas.configuration import configured_persona


@register()
def the_context_window_holds_what_cannot_be_cut(
    app_configs: Sequence[AppConfig] | None = None, **_: Any
) -> list[CheckMessage]:
    """E001: the incompressible slots do not fit the model's window (seed B §4.2.1). E002: they do, but not with the
    longest message that is accepted. E003: a reply may be longer than the slot that is kept for it.
    """
    window, reply = settings.MODEL_CONTEXT_WINDOW, settings.MODEL_MAX_OUTPUT_TOKENS
    room = window - safety_margin(window)
    larger = "Set MODEL_CONTEXT_WINDOW to the window of a larger model."
    errors = []
    if least_window() > room:
        errors.append(Error("The model's context window is too small for a turn.", hint=larger, id="brain.E001"))
    elif least_window(settings.MAX_MESSAGE_CHARS, reply, _system_tokens()) > room:
        # A character is a token at the most.
        hint = f"{larger[:-1]}, or lower MAX_MESSAGE_CHARS."
        errors.append(Error("The longest message does not fit the model's context window.", hint=hint, id="brain.E002"))
    if reply > BOUNDS[Slot.GENERATION_BUFFER].most:
        hint = f"Set MODEL_MAX_OUTPUT_TOKENS to {BOUNDS[Slot.GENERATION_BUFFER].most} or less."
        errors.append(Error("Replies may be longer than the window keeps room for.", hint=hint, id="brain.E003"))
    return list(errors)


def _system_tokens() -> int:
    """What no turn cuts of the system text, with the longest persona; the other notices are a few words."""
    try:
        longest_persona = configured_persona().max_chars
    except ImproperlyConfigured:  # personas.E001 says so
        longest_persona = 0
    return estimate_tokens(SAFETY_POLICY) + estimate_tokens(MEMORY_GUIDE) + longest_persona
