"""Tables that later features bring, made in the test database: the rules over the declarations are proven on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.apps import apps
from django.conf import settings
from django.db import connections, models
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.database.embedded_server import EmbeddedServer
from foundation.database.policies import TablePolicy
from foundation.database.urls import OWNER_ROLE
from foundation.personal_data import ConsentScope, KeptFor, OnWithdrawal, PersonalData

OWNER = "owner"  # the database alias that may create tables
TASK_CONTEXTS_STAY = timedelta(hours=24)  # seed A §10.1


def _model(name: str, declaration: PersonalData, **fields: models.Field[object, object]) -> type[models.Model]:
    """A table of the user's, each row stamped and dated."""
    return type(
        name,
        (models.Model,),
        {
            "__module__": __name__,
            "Meta": type("Meta", (), {"app_label": "memory"}),
            "user": models.ForeignKey("accounts.User", models.CASCADE, related_name="+"),
            "consent_version": models.PositiveIntegerField(default=1),
            "created_at": models.DateTimeField(default=timezone.now),
            "personal_data": declaration,
            **fields,
        },
    )


@contextmanager
def made_tables() -> Iterator[dict[str, type[models.Model]]]:
    """A thread's context, a drift log, a training candidate and a task's context, for as long as the block runs."""
    made = [
        _model(
            "MadeThreadContext",
            PersonalData(scope=ConsentScope.SAVE_TO_THREAD, on_withdrawal=OnWithdrawal.BLOCK),
            consent_blocked=models.BooleanField(default=False),
        ),
        _model("MadeDrift", PersonalData(scope=ConsentScope.SAVE_TO_PROFILE, on_withdrawal=OnWithdrawal.PURGE)),
        _model(
            "MadeCandidate",
            PersonalData(scope=ConsentScope.TRAINING_USE, on_withdrawal=OnWithdrawal.REVOKE),
            withdrawal_status=models.CharField(max_length=10, default="none"),
        ),
        _model("MadeTaskContext", PersonalData(retention=TASK_CONTEXTS_STAY, kept=KeptFor.RESEARCH)),
    ]
    _change_as_superuser(f"GRANT CREATE ON SCHEMA public TO {OWNER_ROLE}")
    owner = connections[OWNER]
    with owner.schema_editor() as editor:
        for model in made:
            editor.create_model(model)
            for statement in TablePolicy(append_only=model.__name__ == "MadeDrift").statements(model._meta.db_table):
                editor.execute(statement)
    try:
        yield {model.__name__: model for model in made}
    finally:
        with owner.schema_editor() as editor:
            for model in made:
                editor.delete_model(model)
        owner.close()
        _change_as_superuser(f"REVOKE CREATE ON SCHEMA public FROM {OWNER_ROLE}")
        for model in made:
            del apps.all_models["memory"][model.__name__.lower()]
        apps.clear_cache()


def _change_as_superuser(statement: str) -> None:
    """Only the owner of a database may create in it by default, and the test database is a superuser's clone."""
    with EmbeddedServer(settings.DATA_DIR).connect(settings.DATABASES["default"]["NAME"]) as superuser:
        superuser.execute(statement)


def add_row(user: User, model: type[models.Model]) -> models.Model:
    """One more row of the user's."""
    with acting_as(user.pk):
        return model._default_manager.create(user=user)


def rows(user: User, model: type[models.Model]) -> list[dict[str, object]]:
    """The user's rows as the application sees them."""
    with acting_as(user.pk):
        return list(model._default_manager.order_by("pk").values())
