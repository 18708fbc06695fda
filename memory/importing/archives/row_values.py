"""The values of an archive's row as a model takes them: validated by its fields, screened as any input."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_noop as _

from consent.sensitive.services import screen_text
from foundation.text.storable import storable_value
from memory.importing.archives.archive_file import ArchivedRow
from memory.importing.archives.row_ids import RowIds

_DEEPEST: Final = 32
_NO_VALUE: Final = _("a field of it holds what it never holds.")


def values_of(model: type[models.Model], row: ArchivedRow, ids: RowIds, given: Mapping[str, Any]) -> dict[str, Any]:
    """A value for each column: ``given`` here, else the archive's, else the default; ids are mapped.

    What the archive knows and we do not is left out. Raises ``BrokenFile`` for a value that its field never holds.
    """
    values: dict[str, Any] = {}
    for field in model._meta.local_concrete_fields:
        name = field.attname
        if name in given:
            values[name] = given[name]
        elif name in row.values:
            try:
                values[name] = _value(field, storable_value(row.values[name]), ids)
            except (ValidationError, ValueError, TypeError, RecursionError):
                raise row.broken(_NO_VALUE) from None
        else:
            values[name] = None if field.primary_key else field.get_default()
        if values[name] is None and not field.null:
            raise row.broken(_NO_VALUE)
    return values


def _value(field: models.Field[Any, Any], value: Any, ids: RowIds) -> Any:
    """Raises ``ValidationError``, ``ValueError`` and ``TypeError``."""
    if isinstance(field, models.ForeignKey):
        return None if value is None else ids.of(UUID(value))
    if isinstance(field, models.JSONField):
        _require_shallow(value, _DEEPEST)
        return ids.within(value)
    if isinstance(field, ArrayField):
        return ids.within([str(_checked(field.base_field, entry)) for entry in field.to_python(value)])
    cleaned = _checked(field, value)
    return ids.of(cleaned) if isinstance(cleaned, UUID) else cleaned


def _checked(field: models.Field[Any, Any], value: Any) -> Any:
    """The value that a plain field may have; what an erasure emptied may be empty."""
    if isinstance(field, models.UUIDField) and not isinstance(value, str | None):
        raise TypeError("a number is no id here")
    cleaned = field.to_python(value)
    if cleaned is None and not field.null:
        raise ValueError("a value is missing")
    if cleaned and field.choices and cleaned not in dict(field.flatchoices):
        raise ValueError("no such choice")
    field.run_validators(cleaned)
    return cleaned


def _require_shallow(value: Any, depth: int) -> None:
    if not depth:
        raise ValueError("nested too deeply")
    for entry in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _require_shallow(entry, depth - 1)


def given_here(model: type[models.Model], user_id: UUID, consent_version: int) -> dict[str, Any]:
    """What every row gets here, as far as the model has such a column."""
    given = {"user_id": user_id, "tombstone_id": None, "consent_version": consent_version}
    columns = {field.attname for field in model._meta.local_concrete_fields}
    return {name: value for name, value in given.items() if name in columns}


def screened(values: dict[str, Any], texts: Mapping[str, str], names: Collection[str]) -> dict[str, Any]:
    """The values with the fields of ``texts`` screened, each as the field that it names; those of JSON throughout.

    Raises ``SensitiveInput``.
    """
    return values | {name: _screened(field, values[name], names) for name, field in texts.items()}


def _screened(field: str, value: Any, names: Collection[str]) -> Any:
    if isinstance(value, str):
        return screen_text(field, value, names).text
    if isinstance(value, list):
        return [_screened(field, entry, names) for entry in value]
    if isinstance(value, dict):
        return {key: _screened(field, entry, names) for key, entry in value.items()}
    return value
