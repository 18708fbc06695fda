"""Finds fields that acting needs, by the names in the setting FORBIDDEN_EXECUTION_FIELDS."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from django.conf import settings

from foundation.language import normalize

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[\s_-]+")


def holds_forbidden_field(payload: Any) -> bool:
    """Whether a value holds a forbidden field, as a key at any depth or in its texts."""
    forbidden = _forbidden_fields()
    return any(names <= keys for keys in _joint_names(payload) for names in forbidden)


def _joint_names(payload: Any) -> Iterator[frozenset[str]]:
    """Names that stand together: the keys of each mapping, and in each text the names that a value follows."""
    if isinstance(payload, Mapping):
        yield frozenset(_normalize_name(key) for key in payload)
        yield from (keys for value in payload.values() for keys in _joint_names(value))
    elif isinstance(payload, str):
        yield frozenset(_normalize_name(found["name"]) for found in _field_pattern().finditer(normalize(payload)))
    elif isinstance(payload, Iterable):
        yield from (keys for value in payload for keys in _joint_names(value))


def _normalize_name(key: object) -> str:
    """The name in snake case: ``limitPrice``, ``Limit Price`` and ``limit-price`` are ``limit_price``."""
    return _SEPARATORS.sub("_", normalize(_HUMP.sub("_", str(key))).strip())


def _forbidden_fields() -> list[frozenset[str]]:
    return [frozenset(map(_normalize_name, entry.split("+"))) for entry in settings.FORBIDDEN_EXECUTION_FIELDS]


def _field_pattern() -> re.Pattern[str]:
    names = sorted({name for names in _forbidden_fields() for name in names if "_" in name or not name.isascii()})
    return _pattern_of(tuple(names))


@cache
def _pattern_of(names: tuple[str, ...]) -> re.Pattern[str]:
    spelled = "|".join(re.escape(name).replace("_", r"[\s_-]?") for name in names) or r"(?!)"
    return re.compile(rf"(?<![a-z0-9])(?P<name>{spelled})[\"'”]?\s*(?:[:=]|为(?=[\"'\d]))\s*[\"'“]?[\w$€£¥]")
