"""Reads ``persona.yaml``: the switches of the persona, and the durations of modes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field

from foundation.yaml_files import read_yaml
from personas.types import Mode

DEFAULTS: Final = Path(__file__).parent / "defaults"
FILE: Final = "persona.yaml"


class PersonaConfig(BaseModel):
    """The settings of ``persona.yaml``; fields left out have the shipped values. Turns are messages of one user."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    dynamic_modes: bool = True
    write_back: bool = True
    default_mode: Mode = "hybrid"
    ttl_turns: int = Field(default=20, ge=1, le=1_000)
    cool_down_turns: int = Field(default=5, ge=0, le=1_000)
    max_chars: int = Field(default=1_500, ge=200, le=20_000)


def writes_back() -> bool:
    """Whether a user's wishes for the style of answers may be learned."""
    return configured_persona().write_back


def configured_persona() -> PersonaConfig:
    """The file that ``PERSONA_FILE`` names, else the one FinClaw ships with; read again when it changed.

    Raises ``ImproperlyConfigured`` for a file that is not there, and for what it may not say.
    """
    path = Path(settings.PERSONA_FILE) if settings.PERSONA_FILE else DEFAULTS / FILE
    return read_yaml(path, PersonaConfig, "persona file")
