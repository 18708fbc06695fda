"""When an item changed last, its organisation, and how often in a row no answer drew on it."""

from __future__ import annotations

import django.utils.timezone
from django.db import migrations, models

_ACTIONS = [
    ("added", "Learned"),
    ("superseded", "Replaced by a newer statement"),
    ("retired", "Found no longer true"),
    ("confirmed", "Confirmed"),
    ("corrected", "Corrected"),
    ("quarantined", "Set aside until you decide"),
    ("accepted", "Accepted"),
    ("rejected", "Rejected"),
    ("merged", "Merged with what says the same"),
    ("resolved", "A contradiction was settled"),
    ("calibrated", "Became more or less sure"),
    ("nudged", "Became a little more or less sure"),
    ("fused", "Held back after it was called wrong"),
    ("outdated", "Marked as out of date"),
    ("undone", "A change was undone"),
]
# What the rows themselves tell of when they changed. The owner of the table sees nobody's rows while the policies are
# forced on it too.
_FILL = [
    "ALTER TABLE memory_memoryitem NO FORCE ROW LEVEL SECURITY",
    """
    UPDATE memory_memoryitem SET
        updated_at = greatest(created_at, superseded_at, last_validated_at),
        tenant_id = (SELECT tenant_id FROM accounts_user WHERE id = memory_memoryitem.user_id)
    """,
    "ALTER TABLE memory_memoryitem FORCE ROW LEVEL SECURITY",
]


class Migration(migrations.Migration):
    dependencies = [("memory", "0027_why_nothing_was_searched")]

    operations = [
        migrations.AddField("memoryitem", "unused_count", models.PositiveIntegerField(default=0, db_default=0)),
        migrations.AddField("memoryitem", "updated_at", models.DateTimeField(default=django.utils.timezone.now)),
        migrations.RunSQL(_FILL, migrations.RunSQL.noop),
        migrations.AlterField("evolutionevent", "action", models.CharField(choices=_ACTIONS, max_length=12)),
    ]
