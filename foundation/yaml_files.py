"""Configuration files in YAML, validated against a model and read again when they change."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import yaml
from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel, ValidationError

Model = TypeVar("Model", bound=BaseModel)


def read_yaml(path: Path, model: type[Model], what: str) -> Model:
    """Read and validate the file as ``model``, again when it changed; an empty file is an empty mapping. ``what`` names
    it in errors.

    Raises ``ImproperlyConfigured`` for a file that is not there, and for what it may not say.
    """
    try:
        found: Model = _read(path, path.stat().st_mtime_ns, model, what)
    except OSError as error:
        raise ImproperlyConfigured(f"The {what} cannot be read: {type(error).__name__}.") from None
    return found


@lru_cache(maxsize=256)
def _read(path: Path, _changed: int, model: type[Model], what: str) -> Model:
    try:
        return model.model_validate(yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader) or {})
    except yaml.YAMLError:
        raise ImproperlyConfigured(f"The {what} is not YAML.") from None
    except (ValidationError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"The {what} cannot be used: {_validation_messages(error)}.") from None


def _validation_messages(error: ValidationError | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    told = (f"{'.'.join(map(str, problem['loc'])) or 'the whole'}: {problem['msg']}" for problem in error.errors())
    return "; ".join(told)
