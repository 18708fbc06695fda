"""What a model thinks of a stored text is kept with it; all texts of before wait for its look, where there is a model."""

from __future__ import annotations

from django.db import migrations, models

from foundation.database.urls import APP_ROLE

_GRANT = f"GRANT UPDATE (manipulative, awaits_second_look) ON memory_searchentry TO {APP_ROLE}"


class Migration(migrations.Migration):
    dependencies = [("memory", "0040_answering_model")]

    operations = [
        migrations.AddField(
            model_name="searchentry",
            name="manipulative",
            field=models.CharField(blank=True, db_default="", default="", max_length=32),
        ),
        migrations.AddField(
            model_name="searchentry",
            name="awaits_second_look",
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.AddIndex(
            model_name="searchentry",
            index=models.Index(
                condition=models.Q(("awaits_second_look", True)), fields=["user", "id"], name="entries_to_look_at"
            ),
        ),
        migrations.RunSQL(_GRANT, migrations.RunSQL.noop),
    ]
