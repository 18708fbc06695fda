"""Row-level security against programs: what a user keeps from one is hidden from it, in a migration operation."""

from __future__ import annotations

from typing import Any, Final

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from foundation.database.acting_program import PROGRAM_SETTING, WITHHELD_SETTING
from foundation.database.urls import APP_ROLE

THIS_PROGRAM: Final = f"(SELECT nullif(current_setting('{PROGRAM_SETTING}', true), '')::uuid)"
WITHHELD: Final = f"(SELECT nullif(current_setting('{WITHHELD_SETTING}', true), '')::text[])"
"""The kinds of memory kept from the acting program, NULL for none: read once per SQL statement."""

_POLICY: Final = "withheld_from_program"


def shows(kind: str) -> str:
    """The condition that a kind, which is an SQL expression, is not kept from the acting program."""
    return f"{kind} <> ALL({WITHHELD}::text[])"


class WithholdFromPrograms(Operation):
    """Hide rows from the acting program that are not ``visible`` to it, an SQL condition of the table's columns.

    The condition holds only while something is kept from the program. With ``writes`` it may not write such rows
    either. The policy is restrictive: it narrows what other policies allow. Operators and erasures are not concerned.
    """

    reversible = True
    reduces_to_sql = True

    def __init__(self, model_name: str, *, visible: str, writes: bool = False) -> None:
        self.model_name = model_name
        self.visible = visible
        self.writes = writes

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Policies are not part of Django's state."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Add the restrictive policy."""
        table = to_state.apps.get_model(app_label, self.model_name)._meta.db_table
        schema_editor.execute(
            f"CREATE POLICY {_POLICY} ON {table} AS RESTRICTIVE FOR {'ALL' if self.writes else 'SELECT'} TO {APP_ROLE}"
            f" USING ({WITHHELD} IS NULL OR ({self.visible}))"
        )

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Take the policy away again."""
        table = from_state.apps.get_model(app_label, self.model_name)._meta.db_table
        schema_editor.execute(f"DROP POLICY IF EXISTS {_POLICY} ON {table}")

    def describe(self) -> str:
        """For ``migrate``'s output."""
        return f"Programs see no withheld rows of {self.model_name}"

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """For ``squashmigrations``."""
        return self.__class__.__name__, [self.model_name], {"visible": self.visible, "writes": self.writes}
