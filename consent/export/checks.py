"""System checks that every exported table can be written to a file, and none exports a secret."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, register
from django.db import models

from consent.declarations import PersonalModel, personal_models
from consent.export.exported_tables import PLACEHOLDER, exported_fields, exported_tables
from consent.export.row_formats import BODY, is_exportable

_PATH = re.compile(r"(\w+/)*(\w+|\w+/({\w+}/)?{\w+})\.(jsonl|json|md)")
_SECRET = re.compile(r"password|secret|(^|_)(hash|digest|hmac|salt|key)$")


@register()
def every_exported_model_can_be_written_down(
    app_configs: Sequence[AppConfig] | None = None, **_: Any
) -> list[CheckMessage]:
    """E010: an unusable path. E011: a field of a type that cannot be exported. E012: a field whose name suggests a
    secret. E013: the declaration names a field that does not exist. E014: two tables in one file.
    """
    exported = [personal for personal in personal_models() if personal.declaration.export]
    return [message for personal in exported for message in _check_export(personal)] + _collisions()


def _check_export(personal: PersonalModel) -> Iterator[CheckMessage]:
    fields = exported_fields(personal)
    if not _is_usable(personal.declaration.export, {field.attname: field for field in fields}):
        yield _error(personal, "declares an export path that cannot be written", "consent.E010")
    for field in fields:
        if not is_exportable(field):
            yield _error(personal, f"exports {field.name}, of a kind that is never exported", "consent.E011")
        elif _SECRET.search(field.attname):
            yield _error(personal, f"exports {field.name}, which reads like a secret", "consent.E012")
    recorded = getattr(personal.model, "instance_type", personal.model)  # a history may leave some of its fields out
    known = {field.attname for field in recorded._meta.concrete_fields}
    if {*personal.declaration.withheld, *personal.declaration.shared} - known:
        yield _error(personal, "withholds or shares a field that it does not have", "consent.E013")


def _is_usable(path: str, fields: dict[str, models.Field[Any, Any]]) -> bool:
    if not _PATH.fullmatch(path) or (path.endswith(".md") and ("{" not in path or BODY not in fields)):
        return False
    # With one file per row, the path has a folder, after which the history's file is named, and the file's name must
    # come from a field that holds no text of anybody's.
    *folders, name = PLACEHOLDER.findall(path) or [""]
    return (not name or _identifies_a_row(fields.get(name))) and all(
        _refers_to_another_row(fields.get(one)) for one in folders
    )


def _identifies_a_row(field: models.Field[Any, Any] | None) -> bool:
    """Whether no two rows of a user have the same value: the row's id, or a key with a constraint of its own."""
    if field is None or field.attname == "id":  # in a history it is the id of the row whose versions these are
        return isinstance(field, models.UUIDField)
    constraints = field.model._meta.constraints
    unique = [one for one in constraints if isinstance(one, models.UniqueConstraint) and one.condition is None]
    return any(set(one.fields) == {"user", field.name} for one in unique)


def _refers_to_another_row(field: models.Field[Any, Any] | None) -> bool:
    """Whether it is the id of a row that the exported one refers to."""
    return isinstance(field, models.ForeignKey) and isinstance(field.target_field, models.UUIDField)


def _collisions() -> list[CheckMessage]:
    paths = Counter(table.path for table in exported_tables())
    return [
        Error(f"{table.model._meta.label} shares {table.path} with another table.", obj=table.model, id="consent.E014")
        for table in exported_tables()
        if paths[table.path] > 1
    ]


def _error(personal: PersonalModel, sentence: str, check_id: str) -> Error:
    return Error(f"{personal.label} {sentence}.", obj=personal.model, id=check_id)
