"""Which search entries another embedding model embedded, or none: asked every few minutes, and nearly always nothing."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0017_task_note")]

    operations = [
        migrations.AddIndex(
            model_name="searchentry",
            index=models.Index(fields=["model_id"], name="entries_by_model"),
        ),
    ]
