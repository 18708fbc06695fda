"""System check: persona.yaml can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register
from django.core.exceptions import ImproperlyConfigured

from personas.configuration import configured_persona


@register()
def the_persona_file_can_be_read(app_configs: Sequence[AppConfig] | None = None, **_: Any) -> list[CheckMessage]:
    """E001: ``PERSONA_FILE`` names no file, or one with a switch that does not exist or has a wrong value."""
    try:
        configured_persona()
    except ImproperlyConfigured as problem:
        return [Error(str(problem), hint="See personas/defaults/persona.yaml for what it may say.", id="personas.E001")]
    return []
