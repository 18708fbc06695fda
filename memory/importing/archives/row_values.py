"""Turns an archive's row into values for its model: validated by the model's fields, screened like any input."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models

from consent.sensitive.services import screen_text
from foundation.text.storable import storable_value
from memory.importing.archives.archive_file import ArchivedRow
from memory.importing.archives.archive_tables import ArchiveTable
from memory.importing.archives.row_ids import RowIds, is_id
from memory.importing.archives.row_shapes import most_text_chars, require_supported_json
from memory.importing.chats.refusal_reasons import RefusalReason

_PLAIN_KEY: Final = re.compile(r"[a-z_]{1,40}")  # a key of a JSON object that is no secret and nobody's name
_YEARS: Final = range(2, 9_999)  # years that remain valid in any time zone


def values_of(table: ArchiveTable, row: ArchivedRow, ids: RowIds, given: Mapping[str, Any]) -> dict[str, Any]:
    """A value for each column: ``given`` here, else the archive's, else the default; ids are mapped.

    Raises ``BrokenFile`` for a value that its field never holds.
    """
    values: dict[str, Any] = {}
    for field in table.fields:
        name = field.attname
        if name in given:
            values[name] = given[name]
        elif name in row.values:
            try:
                values[name] = _value(field, storable_value(row.values[name]), ids)
                _require_shape(values[name], table.shapes.get(name), table.most_chars.get(name))
            except (ValidationError, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
                raise row.broken(RefusalReason.INVALID_VALUE) from None
        else:
            values[name] = None if field.primary_key else field.get_default()
        if values[name] is None and not field.null:
            raise row.broken(RefusalReason.INVALID_VALUE)
    return values


def _value(field: models.Field[Any, Any], value: Any, ids: RowIds) -> Any:
    """The value of one field, with its ids mapped. Raises ``ValidationError``, ``ValueError`` and ``TypeError``."""
    if isinstance(field, models.ForeignKey):
        return None if value is None else ids.map_id(UUID(_text(value)))
    if isinstance(field, models.JSONField):
        if field.default in (dict, list) and not isinstance(value, field.default):
            raise TypeError("a list for an object, or the reverse")
        require_supported_json(value)
        return ids.map_ids(value)
    if isinstance(field, ArrayField):
        return ids.map_ids([str(_checked(field.base_field, entry)) for entry in field.to_python(value)])
    cleaned = _checked(field, value)
    return ids.map_id(cleaned) if isinstance(cleaned, UUID) else cleaned


def _checked(field: models.Field[Any, Any], value: Any) -> Any:
    """The validated value of a plain field. An empty text is allowed even among choices: an erasure leaves one."""
    if value is not None and isinstance(field, models.UUIDField | models.CharField | models.TextField):
        _text(value)
    cleaned = field.to_python(value)
    if cleaned is None and not field.null:
        raise ValueError("a value is missing")
    if cleaned and field.choices and cleaned not in dict(field.flatchoices):
        raise ValueError("no such choice")
    if isinstance(cleaned, datetime) and (cleaned.tzinfo is None or cleaned.year not in _YEARS):
        raise ValueError("no moment in time")
    if isinstance(cleaned, float) and not math.isfinite(cleaned):
        raise ValueError("a number without end")
    field.run_validators(cleaned)
    return cleaned


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    if len(value) > most_text_chars():
        raise ValueError("a text is too long")
    return value


def _require_shape(value: Any, is_such: Callable[[Any], bool] | None, most_chars: int | None) -> None:
    if is_such is not None and not is_such(value):
        raise ValueError("not shaped as its readers take it")
    if most_chars is not None and len(value) > most_chars:
        raise ValueError("a text is too long")


def account_columns(table: ArchiveTable, user_id: UUID, consent_version: int) -> dict[str, Any]:
    """The values that every row gets here, for those columns that its model has."""
    given = {"user_id": user_id, "tombstone_id": None, "consent_version": consent_version}
    return {name: value for name, value in given.items() if name in table.columns}


def screened(values: dict[str, Any], texts: Mapping[str, str], names: Collection[str]) -> dict[str, Any]:
    """The values with the fields of ``texts`` screened, each as the field that it names; those of JSON throughout,
    with their keys.

    Raises ``SensitiveInput``.
    """
    return values | {name: _screened(field, values[name], names) for name, field in texts.items()}


def _screened(field: str, value: Any, names: Collection[str]) -> Any:
    if isinstance(value, str):
        return value if is_id(value) else screen_text(field, value, names).text
    if isinstance(value, list):
        return [_screened(field, entry, names) for entry in value]
    if isinstance(value, dict):
        keys = {key: key if _PLAIN_KEY.fullmatch(key) else _screened(field, key, names) for key in value}
        return {keys[key]: _screened(field, entry, names) for key, entry in value.items()}
    return value
