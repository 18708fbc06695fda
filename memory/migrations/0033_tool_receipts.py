"""What the assistant ran is kept as a receipt."""

import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.indexes import BrinIndex
from django.db import migrations, models

import foundation.ids
from foundation.database.policies import HideErased, Protect


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0032_slices_in_one_list"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ToolReceipt",
            fields=[
                (
                    "id",
                    models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("run_id", models.UUIDField()),
                (
                    "kind",
                    models.CharField(
                        choices=[("tool", "Tool"), ("skill", "Skill"), ("step", "Step of research")], max_length=5
                    ),
                ),
                ("tool", models.CharField(max_length=40)),
                ("skill", models.CharField(blank=True, max_length=20)),
                ("intent_type", models.CharField(blank=True, max_length=20)),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("done", "Done"),
                            ("by_rule", "Done by rule, without the model"),
                            ("refused", "Refused"),
                            ("failed", "Failed"),
                        ],
                        max_length=7,
                    ),
                ),
                ("error_code", models.CharField(blank=True, max_length=60)),
                ("duration_ms", models.FloatField()),
                ("counts", models.JSONField(blank=True, default=dict)),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "session",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="memory.session",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "tool receipt",
                "verbose_name_plural": "tool receipts",
                "ordering": ("created_at", "id"),
                "indexes": [
                    models.Index(fields=["user", "run_id"], name="tools_of_a_run"),
                    BrinIndex(fields=["created_at"], name="tools_by_time"),
                ],
            },
        ),
        Protect("toolreceipt", append_only=True),
        HideErased("toolreceipt", scopes=("account",), clock="created_at"),
    ]
