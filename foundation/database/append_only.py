"""A migration operation that makes a protected table append-only to the application."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from foundation.database.policies import MINE, change_policies
from foundation.database.urls import APP_ROLE


class MakeAppendOnly(Operation):
    """Take UPDATE and DELETE on a table under ``Protect`` from the application, and leave them to the eraser.

    ``filled_later`` names columns that it still sets on rows of the acting user: what becomes known after the row was
    written.
    """

    reversible = True
    reduces_to_sql = True

    def __init__(self, model_name: str, *, filled_later: tuple[str, ...] = ()) -> None:
        self.model_name = model_name
        self.filled_later = filled_later

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Grants are not part of Django's state."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Take the policies and the grants, but for the columns that are filled later."""
        table = to_state.apps.get_model(app_label, self.model_name)._meta.db_table
        changes, _removes = change_policies(table, MINE, MINE, removable=MINE)
        statements = [
            f"DROP POLICY app_changes ON {table}",
            f"DROP POLICY app_removes ON {table}",
            f"REVOKE UPDATE, DELETE ON {table} FROM {APP_ROLE}",
        ]
        if self.filled_later:
            columns = ", ".join(self.filled_later)
            statements += [f"GRANT UPDATE ({columns}) ON {table} TO {APP_ROLE}", changes]
        for statement in statements:
            schema_editor.execute(statement)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Give both back."""
        table = from_state.apps.get_model(app_label, self.model_name)._meta.db_table
        schema_editor.execute(f"DROP POLICY IF EXISTS app_changes ON {table}")
        for statement in (
            *change_policies(table, MINE, MINE, removable=MINE),
            f"GRANT UPDATE, DELETE ON {table} TO {APP_ROLE}",
        ):
            schema_editor.execute(statement)

    def describe(self) -> str:
        """For ``migrate``'s output."""
        return f"{self.model_name} is append-only"

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """For ``squashmigrations``."""
        return self.__class__.__name__, [self.model_name], {"filled_later": self.filled_later}
