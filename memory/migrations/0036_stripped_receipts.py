"""Receipts of what is erased are stripped and kept: their figures are nobody's."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from foundation.database.stripped_rows import LetErasureStrip


class Migration(migrations.Migration):
    dependencies = [("memory", "0035_history_names_writers_by_id"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]
    operations = [
        migrations.AlterField(
            "receipt",
            "user",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            "receipt",
            "session",
            models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memory.session"
            ),
        ),
        migrations.AlterField(
            "receiptline",
            "user",
            models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        LetErasureStrip("receipt", scopes=("account",), clock="created_at"),
        LetErasureStrip("receiptline", scopes=("account",)),
    ]
