"""Formats of an exported row: a line of JSON, or Markdown under YAML front matter."""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import yaml
from django.contrib.postgres.fields import ArrayField
from django.db import models

from consent.export.exported_tables import Row

BODY = "body"  # the field that a Markdown file shows under its front matter
_KINDS: tuple[type[models.Field[Any, Any]], ...] = (
    models.BooleanField,
    models.CharField,
    models.DateField,
    models.DecimalField,
    models.DurationField,
    models.FloatField,
    models.GenericIPAddressField,
    models.IntegerField,
    models.JSONField,
    models.TextField,
    models.TimeField,
    models.UUIDField,
)


def is_exportable(field: Any) -> bool:
    """Whether the kind of a model's field can be written down: text, numbers, times, ids, and arrays of those."""
    if isinstance(field, models.ForeignKey):
        return is_exportable(field.target_field)
    if isinstance(field, ArrayField):
        return is_exportable(field.base_field)
    return isinstance(field, _KINDS)


def as_json(row: Row) -> bytes:
    """One line of UTF-8 JSON without its line break; times in RFC 3339 with their offset."""
    return _ENCODER.encode(row).encode()


def as_markdown(row: Row) -> bytes:
    """The field ``body`` as it stands, under the other fields as YAML front matter."""
    head = {name: value for name, value in json.loads(as_json(row)).items() if name != BODY}
    front_matter = yaml.safe_dump(head, allow_unicode=True, sort_keys=False)
    return f"---\n{front_matter}---\n\n{row[BODY]}\n".encode()


def _json_value(value: object) -> str | float:
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case UUID() | Decimal():
            return str(value)
        case timedelta():
            return value.total_seconds()
    raise TypeError(f"a {type(value).__name__} cannot be exported")


_ENCODER = json.JSONEncoder(default=_json_value, ensure_ascii=False, separators=(",", ":"))
