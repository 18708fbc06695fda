"""persona.yaml: the switches of seed C §13, and the figures that modes go by (P-6)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

import yaml
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from personas.types import Mode

DEFAULTS: Final = Path(__file__).parent / "defaults"
FILE: Final = "persona.yaml"


class PersonaConfig(BaseModel):
    """What ``persona.yaml`` may say; what it leaves out is as shipped. Turns are a person's own."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    dynamic_modes: bool = True
    write_back: bool = True
    default_mode: Mode = "hybrid"
    ttl_turns: int = Field(default=20, ge=1, le=1_000)  # seed C §4.1
    cool_down_turns: int = Field(default=5, ge=0, le=1_000)  # seed C §13 names a cool-down, and no figure
    max_chars: int = Field(default=1_500, ge=200, le=20_000)  # seed C §13


def configured() -> PersonaConfig:
    """The file that ``PERSONA_FILE`` names, else the one FinClaw ships with; read again when it changed.

    Raises ``ImproperlyConfigured`` for a file that is not there, and for what it may not say.
    """
    path = Path(settings.PERSONA_FILE) if settings.PERSONA_FILE else DEFAULTS / FILE
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise ImproperlyConfigured(f"PERSONA_FILE cannot be read: {type(error).__name__}.") from None


@lru_cache(maxsize=8)
def _read(path: Path, _changed: int) -> PersonaConfig:
    try:
        return PersonaConfig.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except yaml.YAMLError:
        raise ImproperlyConfigured("The persona file is not YAML.") from None
    except (ValidationError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"The persona file cannot be used: {_objections(error)}.") from None


def _objections(error: ValidationError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    told = (f"{'.'.join(map(str, one['loc'])) or 'the whole'}: {one['msg']}" for one in error.errors())
    return "; ".join(told)
