"""Migration operations that drop the foreign key from a history table to its writers and keep their ids."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation


def name_writer_by_id(model_name: str) -> list[Operation]:
    """Drop a history's foreign key to its writers, with its index; the column and what stands in it stay.

    The key would keep an account that wrote for others from ever being erased: its erasure sees no rows of theirs.
    """
    unbound = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    renamed: list[Operation] = [
        migrations.RemoveField(model_name, "history_user"),
        migrations.AddField(model_name, "history_user_id", models.UUIDField(blank=True, null=True)),
    ]
    return [
        migrations.AlterField(model_name, "history_user", unbound),
        migrations.SeparateDatabaseAndState(state_operations=renamed),
    ]
