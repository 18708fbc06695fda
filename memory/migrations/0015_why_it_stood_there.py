"""Two more reasons on a receipt's line: what stands in every answer, and what was looked up for one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0014_entity_profiles")]

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
                    ("superseded", "no longer holds"),
                    ("duplicate", "a memory says it already"),
                    ("standing", "stands in every answer"),
                    ("looked_up", "looked up for this answer"),
                ],
                max_length=20,
            ),
        ),
    ]
