"""Store why an import was refused as a code with its place, to be described in any language."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0044_awaited_tools")]

    operations = [
        migrations.AddField(
            model_name="chatimport",
            name="reason_details",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
    ]
