"""The build fails for an exported table that could not be written down, or would give a secret away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from pgvector.django import HalfVectorField

from consent.export.checks import every_exported_model_can_be_written_down
from consent.export.exported_tables import exported_tables
from foundation.ids import new_id
from foundation.personal_data import PersonalData


@pytest.fixture(autouse=True)
def _forget_models_made_here() -> Iterator[None]:
    yield
    for name in [name for name in apps.all_models["memory"] if name.startswith("made")]:
        del apps.all_models["memory"][name]
    apps.clear_cache()


def _make(export: str = "made/made.jsonl", declared: dict[str, Any] | None = None, **fields: Any) -> None:
    meta = type("Meta", (), {"app_label": "memory"})
    attributes = {"id": models.UUIDField(primary_key=True, default=new_id), "user_id": models.UUIDField(), **fields}
    declaration = PersonalData(export=export, **(declared or {}))
    type("Made", (models.Model,), {"__module__": __name__, "Meta": meta, "personal_data": declaration, **attributes})


def _ids() -> list[str | None]:
    return [message.id for message in every_exported_model_can_be_written_down()]


def test_our_own_models_all_pass() -> None:
    assert _ids() == []
    assert len(exported_tables()) > 10


@pytest.mark.parametrize(
    "field",
    [
        models.BinaryField(),
        SearchVectorField(),
        HalfVectorField(),
        models.FileField(),
        ArrayField(models.BinaryField()),
    ],
)
def test_a_field_of_a_kind_that_is_never_exported_is_refused_unless_withheld(field: Any) -> None:
    _make(words=field)
    assert _ids() == ["consent.E011"]


def test_a_withheld_field_may_be_of_any_kind() -> None:
    _make(declared={"withheld": ("words",)}, words=models.BinaryField())
    assert _ids() == []


@pytest.mark.parametrize("name", ["password", "content_hash", "key", "api_key", "client_secret", "request_hmac"])
def test_a_field_that_reads_like_a_secret_is_refused(name: str) -> None:
    fields: dict[str, Any] = {name: models.TextField()}
    _make(**fields)
    assert _ids() == ["consent.E012"]


@pytest.mark.parametrize("declared", [{"withheld": ("gone",)}, {"shared": ("gone",)}])
def test_a_name_that_is_no_field_is_refused(declared: dict[str, Any]) -> None:
    _make(declared=declared)
    assert _ids() == ["consent.E013"]


@pytest.mark.parametrize(
    "path",
    [
        "../made.jsonl",
        "/made.json",
        "made.csv",
        "made",
        "{id}.json",
        "made/{user_id}.json",
        "made/made.md",
        "made/{body}.json",
        "made/{body}/{id}.json",
        "made/{id}/{id}/{id}.json",
    ],
)
def test_a_path_that_cannot_be_written_is_refused(path: str) -> None:
    _make(path)
    assert _ids() == ["consent.E010"]


def test_markdown_needs_a_body() -> None:
    _make("made/{id}.md", words=models.TextField())
    assert _ids() == ["consent.E010"]


def test_two_tables_do_not_share_a_file() -> None:
    _make("memory_items/items.jsonl")
    assert _ids() == ["consent.E014", "consent.E014"]


@pytest.mark.parametrize("path", ["made/made.jsonl", "made.json", "made/{id}.json", "made/people/{id}.md"])
def test_a_table_is_in_the_export_on_the_day_it_declares_a_path(path: str) -> None:
    _make(path, body=models.TextField())

    assert _ids() == []
    made = next(table for table in exported_tables() if table.path == path)
    assert set(made.fields) == {"id", "body"}
