"""A receipt names the variants of experiments that its answer was made by."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0047_reply_processes")]

    operations = [
        migrations.AddField(
            model_name="receipt",
            name="generation_metadata",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
    ]
