"""A migration builds anew the model that an operation changes and those that refer to it; its code sees all anew."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.db import models
from django.db.migrations import AddField, AlterField, CreateModel, RunPython
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

from foundation.database.embedded_server import EmbeddedServer
from foundation.database.management.commands import migrate
from foundation.database.migration_state import building_few_models
from foundation.database.scratch import scratch_database
from tests.support.catalog import catalog

APP = "library"
Built = dict[str, Any]


def _key() -> models.AutoField[int, int]:
    return models.AutoField(primary_key=True)


def _to(model: str) -> models.ForeignKey[Any, Any]:
    return models.ForeignKey(f"{APP}.{model}", models.CASCADE)


@pytest.fixture
def state() -> ProjectState:
    """Of a library whose pages refer to books, and books, as readers do, to a town."""
    known = ProjectState()
    known.add_model(ModelState(APP, "Town", [("id", _key())]))
    known.add_model(ModelState(APP, "Book", [("id", _key()), ("town", _to("Town"))]))
    known.add_model(ModelState(APP, "Page", [("id", _key()), ("book", _to("Book"))]))
    known.add_model(ModelState(APP, "Reader", [("id", _key()), ("town", _to("Town"))]))
    return known


def _built(state: ProjectState) -> Built:
    return {model.__name__: model for model in state.apps.get_models()}


def _built_anew(operation: Operation, state: ProjectState) -> set[str]:
    before = _built(state)
    operation.state_forwards(APP, state)
    return {name for name, model in _built(state).items() if model is not before.get(name)}


NEW = CreateModel("Shelf", [("id", _key()), ("town", _to("Town"))])
FIELD = AddField("Book", "title", models.TextField())


def test_a_new_model_is_built_alone(state: ProjectState) -> None:
    with building_few_models():
        assert _built_anew(NEW, state) == {"Shelf"}


def test_a_changed_model_is_built_with_those_that_refer_to_it(state: ProjectState) -> None:
    with building_few_models():
        assert _built_anew(FIELD, state) == {"Book", "Page"}

    built = _built(state)
    assert built["Page"]._meta.get_field("book").related_model is built["Book"]
    assert built["Book"]._meta.get_field("town").related_model is built["Town"]
    assert {one.related_model for one in built["Town"]._meta.related_objects} == {built["Book"], built["Reader"]}


def test_all_that_are_related_are_built_where_a_key_changes(state: ProjectState) -> None:
    with building_few_models():
        changed = AlterField("Town", "id", models.BigAutoField(primary_key=True))
        assert _built_anew(changed, state) == {"Town", "Book", "Page", "Reader"}


def test_code_of_a_migration_sees_all_models_built_anew(state: ProjectState) -> None:
    seen: list[Built] = []
    editor: Any = SimpleNamespace(connection=SimpleNamespace(alias="default"))
    with building_few_models():
        assert _built_anew(FIELD, state) == {"Book", "Page"}
        before = _built(state)
        RunPython(lambda apps, _: seen.append({one.__name__: one for one in apps.get_models()})).database_forwards(
            APP, editor, state.clone(), state
        )

    assert seen[0].keys() == before.keys()
    assert all(seen[0][name] is not model for name, model in before.items())


def test_django_builds_as_ever_afterwards(state: ProjectState) -> None:
    with building_few_models():
        pass

    assert _built_anew(NEW, state) == {"Town", "Book", "Page", "Reader", "Shelf"}


@pytest.mark.proof  # that which models are built makes no difference to the tables is shown above, model by model
def test_a_database_is_the_one_that_django_would_make(
    django_db_setup: None, django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "building_few_models", nullcontext)
    server, ours = EmbeddedServer(settings.DATA_DIR), str(settings.DATABASES["default"]["NAME"])

    with (
        django_db_blocker.unblock(),
        scratch_database("plain", durable=False) as plain,
        server.connect(plain) as theirs,
        server.connect(ours) as own,
    ):
        assert catalog(own) == catalog(theirs)
