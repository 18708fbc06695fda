"""A conversation keeps what its last answer asked a program's tools for, until they say it."""

from __future__ import annotations

from django.db import migrations, models

from foundation.database.urls import APP_ROLE

_GRANT = f"GRANT UPDATE (awaited_tools) ON memory_session TO {APP_ROLE}"


class Migration(migrations.Migration):
    dependencies = [("memory", "0043_consents_of_imported_archives")]

    operations = [
        migrations.AddField(
            model_name="session",
            name="awaited_tools",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.RunSQL(_GRANT, migrations.RunSQL.noop),
    ]
