"""What a task meant for its person, beside what it ran with, and gone with it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0016_research")]

    operations = [
        migrations.AddField(
            model_name="taskcontext",
            name="note",
            field=models.JSONField(blank=True, default=list),
        ),
    ]
