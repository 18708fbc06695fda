"""Two more reasons on a receipt's line; receipts that still wait for the next message are found by an index."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0007_evolution_history"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="receiptline",
            name="decision_reason",
            field=models.CharField(
                choices=[
                    ("relevance", "fits what was asked"),
                    ("recency", "recent"),
                    ("confidence", "you told me so"),
                    ("budget_exceeded", "no room"),
                    ("blocked", "blocked for safety"),
                    ("stated", "you set it yourself"),
                    ("outdated", "out of date"),
                    ("conflict", "your organisation's knowledge says otherwise"),
                ],
                max_length=20,
            ),
        ),
        migrations.AddIndex(
            model_name="receipt",
            index=models.Index(
                condition=models.Q(("closed_at", None), ("kind", "injection")),
                fields=["created_at"],
                name="open_injections",
            ),
        ),
    ]
