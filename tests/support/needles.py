"""Needles: a word of a person's in every field that can hold text, found again in a dump of the whole database.

Generated from the models, so that a new table or field is searched on the day it is added.
"""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from oauth2_provider.models import Application
from pgvector.django import HalfVectorField

from consent.declarations import PersonalModel, order_for_deletion, personal_models
from consent.models import ErasureFence
from foundation.accounts.models import ChatGroup, Membership, Tenant, User, validate_time_zone
from foundation.database.acting_user import acting_as
from foundation.database.embedded_server import EmbeddedServer, binaries
from foundation.database.roles import BACKUP_ROLE
from foundation.personal_data import OnErasure
from tests.support.organisation import employ

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
# Written by the database's own roles alone, and without text.
_NOT_BY_HAND = {ErasureFence._meta.label}


def fill_every_field(user: User, prefix: str) -> dict[str, str]:
    """One row of the person's in every declared table, a needle of its own in each field that can hold text; the
    needles by ``label.field``.

    Bare are the fields that hold one word of a fixed set, a number, a moment, a key, the name of a time zone, or fewer
    characters than a short needle has.
    """
    needles = {f"{User._meta.label}.display_name": f"{prefix}00", f"{ChatGroup._meta.label}.name": f"{prefix}01"}
    tenant = Tenant.objects.create(name=f"Employer of {user.username}")
    employ(tenant, user)
    group = ChatGroup.objects.create(name=f"{prefix}01", created_by=user)
    program = Application.objects.create(client_type="public", authorization_grant_type="authorization-code")
    made: dict[type[models.Model], Any] = {User: user, ChatGroup: group, Tenant: tenant, Application: program}
    _mark_account(user, f"{prefix}00")
    ordered = order_for_deletion(_fillable())[::-1]
    members_first = sorted(ordered, key=lambda one: one.model is not Membership)
    words = needle_words(prefix)
    with acting_as(user.pk):
        for one in members_first:
            row = one.model._base_manager.filter(**{one.declaration.owner: user.pk}).first()
            if row is None:  # a consent is there, given through its own door
                row, marked = row_with_needles(one, user, words, made, _shaped(one.label))
                one.model._base_manager.bulk_create([row])
                needles |= marked
            made[one.model] = row
    return needles


def needle_words(prefix: str, topic: str = "") -> Iterator[tuple[str, str]]:
    """Needles without end, each long and short; the long ones behind the word of a topic, where there is one."""
    return ((f"{topic} {prefix}{number:03}".lstrip(), f"{prefix[2]}q{number:03}") for number in count())


def dump() -> str:
    """The whole database as the backup role sees it, in plain text: rows, history, queues, lexemes."""
    server = EmbeddedServer(settings.DATA_DIR)
    command = [
        str(binaries() / "pg_dump"), f"--host={server.sockets}", "--port=5432", "--username=postgres",
        f"--role={BACKUP_ROLE}", "--data-only", "--inserts", "--rows-per-insert=1",
        str(settings.DATABASES["default"]["NAME"]),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode() + _files()


def _files() -> str:
    """What lies in the data directory outside PostgreSQL, byte for byte."""
    # Not even looked into: other tests' databases come and go there.
    outside = [path for path in Path(settings.DATA_DIR).iterdir() if not path.name.startswith("postgres")]
    found = [*outside, *(path for folder in outside for path in folder.rglob("*"))]
    return "".join(path.read_bytes().decode(errors="replace") for path in found if path.is_file())


def _fillable() -> list[PersonalModel]:
    return [
        one
        for one in personal_models()
        if one.model is not User and one.declaration.on_erasure != OnErasure.KEEP and one.label not in _NOT_BY_HAND
    ]


def _mark_account(user: User, needle: str) -> None:
    User.objects.filter(pk=user.pk).update(display_name=needle)
    user.refresh_from_db()


def row_with_needles(
    one: PersonalModel,
    user: User,
    words: Iterator[tuple[str, str]],
    made: Mapping[type[models.Model], Any],
    shaped: Mapping[str, Any],
) -> tuple[Any, dict[str, str]]:
    """A row of the person's that refers to those ``made``, and its needles by ``label.field``.

    ``shaped`` are values of its fields by name, or functions that put the field's needle into one.
    """
    values: dict[str, Any] = {}
    needles: dict[str, str] = {}
    for field in one.model._meta.concrete_fields:
        if isinstance(field, models.AutoField | models.BigAutoField):
            continue
        needle = _needle(field, *next(words))
        value = _value(field, user, needle, made)
        if value is not _DEFAULT:
            values[field.attname] = value
            needles[field.attname] = needle
    values |= {one.declaration.owner: user.pk, **_ENDED.get(one.label, {})}
    values |= {name: value(needles[name]) if callable(value) else value for name, value in shaped.items()}
    marked = {name: needle for name, needle in needles.items() if needle in str(values[name])}
    return one.model(**values), {f"{one.label}.{name}": needle for name, needle in marked.items()}


def _needle(field: Any, long: str, short: str) -> str:
    """Whichever of the two fits."""
    is_short = isinstance(field, models.CharField) and (field.max_length or _LONG) < len(long)
    return short if is_short else long


_DEFAULT = object()
_LONG = 10_000
_ENDED = {"outbox.OutboxMessage": {"state": "done"}}  # work that waited would run, and change its row


def _shaped(label: str) -> dict[str, Any]:
    """JSON that code looks into on the way to an erasure, as the product writes it."""
    if label == "drift.DriftSignal":
        return dict.fromkeys(("prior_signal", "current_signal"), moment_of("snapshot:none"))
    if label == "memory.Snapshot":
        return {name: [{"kind": "prompt", "id": ""}] for name in ("thesis_sources", "object_sources")}
    if label == "memory.Thread":
        return {"object_sources": [{"kind": "prompt", "id": ""}]}
    return {}


def moment_of(ref: str) -> Callable[[str], dict[str, str]]:
    """A moment of a drift signal on the object of a reference, with a needle as its value."""
    return lambda needle: {"value": needle, "captured_at": NOW.isoformat(), "captured_in_object_ref": ref}


def _value(field: Any, user: User, needle: str, made: Mapping[type[models.Model], Any]) -> Any:
    """Something the field takes: the needle where text fits, the person's own row where it refers to one."""
    if field.is_relation:
        return _reference(field, user, made)
    for kind, value in _BY_KIND:
        if isinstance(field, kind):
            return value(field, needle)
    return _DEFAULT


def _reference(field: Any, user: User, made: Mapping[type[models.Model], Any]) -> Any:
    if field.related_model is User:
        return user.pk
    known = made.get(field.related_model)
    return known.pk if known is not None else None


def _list(field: Any, needle: str) -> Any:
    words = isinstance(field.base_field, models.CharField)
    return [needle] if words and not (field.base_field.choices and field.has_default()) else _DEFAULT


def _text(field: Any, needle: str) -> Any:
    if field.choices:
        return _DEFAULT if field.has_default() else field.choices[0][0]
    if validate_time_zone in field.validators:
        return "Asia/Shanghai"
    if (field.max_length or _LONG) < len(needle):
        return field.get_default() if field.has_default() else "x" * min(field.max_length, 2)
    return needle


_BY_KIND: tuple[tuple[Any, Any], ...] = (
    (models.CharField, _text),
    (models.TextField, _text),
    (ArrayField, lambda field, needle: _list(field, needle)),
    (models.JSONField, lambda field, needle: [{"type": "text", "text": needle}]),
    (SearchVectorField, lambda field, needle: f"'{needle}':1A"),
    (HalfVectorField, lambda field, needle: _DEFAULT),
    (models.DateTimeField, lambda field, needle: _moment(field)),
    (models.UUIDField, lambda field, needle: _DEFAULT if field.has_default() or field.null else uuid.uuid4()),
    (models.FloatField, lambda field, needle: _DEFAULT if field.null or field.has_default() else 0.1),
    (models.BooleanField, lambda field, needle: _DEFAULT if field.null or field.has_default() else True),
    (models.IntegerField, lambda field, needle: _DEFAULT if field.null or field.has_default() else 1),
    (models.BinaryField, lambda field, needle: _DEFAULT if field.has_default() else needle.encode()),
)


def _moment(field: Any) -> Any:
    return _DEFAULT if field.null or field.has_default() else NOW
