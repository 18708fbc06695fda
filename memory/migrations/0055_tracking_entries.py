"""What a release was observed at is tracked until a release passes it."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

import foundation.ids
from foundation.database.roles import ENTERED_ROLES
from foundation.database.urls import APP_ROLE

_WRITERS = ", ".join((APP_ROLE, *ENTERED_ROLES))
_REPORT = {"on_delete": django.db.models.deletion.PROTECT, "related_name": "+", "to": "memory.acceptancereport"}


class Migration(migrations.Migration):
    dependencies = [("memory", "0054_announced_tasks")]

    operations = [
        migrations.CreateModel(
            name="TrackingEntry",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("measure", models.CharField(max_length=40)),
                ("releases", models.PositiveSmallIntegerField(default=1)),
                ("is_blocking", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("closed_by", models.ForeignKey(blank=True, null=True, **_REPORT)),
                ("latest", models.ForeignKey(**_REPORT)),
                ("opened_by", models.ForeignKey(**_REPORT)),
            ],
            options={
                "verbose_name": "tracking entry",
                "verbose_name_plural": "tracking entries",
                "ordering": ("-created_at", "number"),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("closed_at", None)), fields=("number",), name="one_open_entry_a_measure"
                    )
                ],
            },
        ),
        migrations.RunSQL(
            f"REVOKE DELETE ON memory_trackingentry FROM {_WRITERS}",
            f"GRANT DELETE ON memory_trackingentry TO {_WRITERS}",
        ),
    ]
