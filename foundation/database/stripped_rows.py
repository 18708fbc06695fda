"""A migration operation for tables whose rows an erasure strips of their user, so that they belong to nobody."""

from __future__ import annotations

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState

from foundation.database.policies import MINE, HideErased

_NOBODYS = f"{MINE} OR user_id IS NULL"


class LetErasureStrip(HideErased):
    """Let the eraser take the user from rows of a table under ``Protect`` and ``HideErased``; those are never hidden.

    Rows of nobody are read by operators alone. The arguments are those of the table's ``HideErased``.
    """

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Widen the eraser's policy, and write the hiding one anew."""
        table = to_state.apps.get_model(app_label, self.model_name)._meta.db_table
        # An UPDATE must leave a row that its own role may read.
        schema_editor.execute(f"ALTER POLICY eraser ON {table} USING ({_NOBODYS}) WITH CHECK ({_NOBODYS})")
        super().database_backwards(app_label, schema_editor, to_state, from_state)
        super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Narrow the eraser's policy again; hiding needs no change for rows that all have a user."""
        table = from_state.apps.get_model(app_label, self.model_name)._meta.db_table
        schema_editor.execute(f"ALTER POLICY eraser ON {table} USING ({MINE}) WITH CHECK ({MINE})")

    def describe(self) -> str:
        """For ``migrate``'s output."""
        return f"Erased rows of {self.model_name} leave their figures"

    def _visible(self, table: str) -> str:
        return f"{table}.{self.owner} IS NULL OR ({super()._visible(table)})"
