"""A receipt names the entries of the organisation's knowledge that its answer was given."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0048_generation_metadata")]

    operations = [
        migrations.AddField(
            model_name="receipt",
            name="knowledge_ids",
            field=ArrayField(base_field=models.UUIDField(), blank=True, db_default=[], default=list, size=None),
        ),
    ]
