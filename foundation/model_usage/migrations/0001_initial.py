"""What language models were used for and cost, in sums a day: workers write them, operators read them."""

import decimal

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import foundation.model_usage.models
from foundation.database.policies import ProtectTenant
from foundation.database.roles import WORKER_ROLE


class Migration(migrations.Migration):
    initial = True
    dependencies = [("accounts", "0003_acknowledged_notice")]
    operations = [
        migrations.CreateModel(
            name="ModelUsage",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("day", models.DateField()),
                ("kind", models.CharField(max_length=20)),
                ("model_id", models.CharField(max_length=120)),
                ("calls", models.BigIntegerField(default=0)),
                ("failures", models.BigIntegerField(default=0)),
                ("input_tokens", models.BigIntegerField(default=0)),
                ("cached_tokens", models.BigIntegerField(default=0)),
                ("output_tokens", models.BigIntegerField(default=0)),
                ("cost", models.DecimalField(decimal_places=9, default=decimal.Decimal, max_digits=20)),
                ("unpriced_calls", models.BigIntegerField(default=0)),
                (
                    "first_token",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        default=foundation.model_usage.models.no_durations,
                        size=None,
                    ),
                ),
                (
                    "whole",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        default=foundation.model_usage.models.no_durations,
                        size=None,
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ("-day", "kind", "model_id"),
                "indexes": [models.Index(fields=["day"], name="model_usage_by_day")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "day", "kind", "model_id"), name="one_model_usage_a_day", nulls_distinct=False
                    )
                ],
            },
        ),
        ProtectTenant("modelusage", written_by=WORKER_ROLE),
    ]
