"""A conversation knows the program that opened it, and the HMAC of the history which that program knows."""

from __future__ import annotations

from django.conf import settings
from django.db import migrations, models

from foundation.database.urls import APP_ROLE

_GRANT = f"GRANT UPDATE (history_hash) ON memory_session TO {APP_ROLE}"


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("memory", "0041_second_looks"),
    ]

    operations = [
        migrations.AddField(
            model_name="session",
            name="program",
            field=models.CharField(blank=True, db_default="", default="", max_length=80),
        ),
        migrations.AddField(
            model_name="session",
            name="history_hash",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                condition=models.Q(("history_hash", ""), _negated=True),
                fields=["user", "history_hash"],
                name="known_histories",
            ),
        ),
        migrations.RunSQL(_GRANT, migrations.RunSQL.noop),
    ]
