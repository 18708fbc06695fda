"""What the brain needs of its settings is checked at start, not in the middle of a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from finclaw.brain.budget import fits


@register()
def the_context_window_holds_what_cannot_be_cut(
    app_configs: Sequence[AppConfig] | None = None, **_: Any
) -> list[CheckMessage]:
    """E001: system prompt, message and reply do not fit the model's window (seed B §4.2.1)."""
    if fits(settings.MODEL_CONTEXT_WINDOW):
        return []
    hint = "Set MODEL_CONTEXT_WINDOW to the window of a larger model."
    return [Error("The model's context window is too small for a turn.", hint=hint, id="brain.E001")]
