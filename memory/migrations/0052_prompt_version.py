"""A receipt names the version of the prompt in whose words the model was asked."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0051_receipt_knowledge")]

    operations = [
        migrations.AddField(
            model_name="receipt",
            name="prompt_version",
            field=models.CharField(
                blank=True, db_default="", default="", max_length=20, verbose_name="version of the prompt"
            ),
        ),
    ]
