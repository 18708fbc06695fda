"""Every message stored by now is to be read anew; one that is stored later was read by the gate, too."""

from django.db import migrations, models

from foundation.database.roles import APP_ROLE

_GRANT = f"GRANT UPDATE (to_be_read) ON memory_searchentry TO {APP_ROLE}"


class Migration(migrations.Migration):
    dependencies = [("memory", "0019_items_in_conflict")]

    operations = [
        # With a default PostgreSQL writes no row of a table however large; the next one changes what new rows get.
        migrations.AddField("searchentry", "to_be_read", models.BooleanField(default=True, db_default=True)),
        migrations.AlterField("searchentry", "to_be_read", models.BooleanField(default=False, db_default=False)),
        migrations.AddIndex(
            "searchentry",
            models.Index(
                fields=["user", "id"],
                name="messages_to_be_read",
                condition=models.Q(to_be_read=True, kind="turn"),
            ),
        ),
        migrations.RunSQL(_GRANT, migrations.RunSQL.noop),  # goes with the column
    ]
