"""Receipts of experiments are indexed while answers go on being stored."""

from __future__ import annotations

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

# What an interrupted run left, or the first form of this change made.
_LEFT_OVER = "DROP INDEX CONCURRENTLY IF EXISTS receipts_of_experiments"


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memory", "0056_search_in_files")]

    operations = [
        migrations.RunSQL(_LEFT_OVER, migrations.RunSQL.noop),
        AddIndexConcurrently(
            model_name="receipt",
            index=models.Index(
                condition=models.Q(("generation_metadata__has_key", "experiments")),
                fields=["created_at"],
                name="receipts_of_experiments",
            ),
        ),
    ]
