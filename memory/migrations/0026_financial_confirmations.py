"""Which contexts hold financial fields that their user confirmed.

Every one of before: each door refused financial fields without the confirmation. A default fills them, since no role may
update rows that belong to somebody.
"""

from __future__ import annotations

from django.db import migrations, models

_KEPT = ("usercontext", "historicalusercontext", "threadcontext")


class Migration(migrations.Migration):
    dependencies = [("memory", "0025_training_exclusion")]

    operations = [
        *(migrations.AddField(name, "financial_confirmed", models.BooleanField(default=True)) for name in _KEPT),
        *(migrations.AlterField(name, "financial_confirmed", models.BooleanField(default=False)) for name in _KEPT),
    ]
