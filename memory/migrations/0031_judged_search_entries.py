"""A search entry says whether its row's text may stand in a prompt unchanged; those of before are judged later."""

from django.db import migrations, models

from foundation.database.urls import APP_ROLE

_GRANT = f"GRANT UPDATE (verdict, judged_by) ON memory_searchentry TO {APP_ROLE}"


class Migration(migrations.Migration):
    dependencies = [("memory", "0030_append_only_receipts")]
    operations = [
        migrations.AddField(
            model_name="searchentry",
            name="judged_by",
            field=models.CharField(blank=True, db_default="", default="", max_length=16),
        ),
        migrations.AddField(
            model_name="searchentry",
            name="verdict",
            field=models.CharField(blank=True, db_default="", default="", max_length=32),
        ),
        migrations.AddIndex(
            model_name="searchentry", index=models.Index(fields=["judged_by"], name="entries_by_rules")
        ),
        migrations.RunSQL(_GRANT, migrations.RunSQL.noop),
    ]
