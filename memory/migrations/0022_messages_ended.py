"""How far each conversation was handed to the historian; one that has ended already was, up to its last message."""

from django.db import migrations, models

from foundation.database.roles import APP_ROLE

_ENDED_BEFORE = """
    UPDATE memory_session SET ended_seq = last_seq WHERE archived_at IS NOT NULL AND group_id IS NULL
"""

_GRANT = f"GRANT UPDATE (ended_seq) ON memory_session TO {APP_ROLE}"


class Migration(migrations.Migration):
    dependencies = [("memory", "0021_events_by_part")]

    operations = [
        migrations.AddField("session", "ended_seq", models.PositiveIntegerField(default=0, db_default=0)),
        migrations.RunSQL(_GRANT, migrations.RunSQL.noop),  # goes with the column
        migrations.RunSQL(_ENDED_BEFORE, migrations.RunSQL.noop),
        migrations.AddIndex(
            "session",
            models.Index(
                fields=["last_active_at"],
                name="sessions_to_write_up",
                condition=models.Q(group=None, remember=True, last_seq__gt=models.F("ended_seq")),
            ),
        ),
    ]
