"""A receipt names the model that answered."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0039_replaced_answers")]

    operations = [
        migrations.AddField(
            model_name="receipt",
            name="answered_by",
            field=models.CharField(
                blank=True, db_default="", default="", max_length=80, verbose_name="answered by"
            ),
        ),
    ]
