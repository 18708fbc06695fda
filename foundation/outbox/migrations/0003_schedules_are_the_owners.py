from django.db import migrations

from foundation.database.roles import ENTERED_ROLES
from foundation.database.urls import APP_ROLE

_ROLES = ", ".join((APP_ROLE, *ENTERED_ROLES))


class Migration(migrations.Migration):
    """What runs by the clock is written by the owner alone; a worker moves the next run and names the latest."""

    dependencies = [
        ("outbox", "0002_row_level_security"),
        ("django_q", "0019_alter_task_options_alter_ormq_key_alter_ormq_lock_and_more"),
    ]
    operations = [
        migrations.RunSQL(
            [
                f"REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON django_q_schedule FROM {_ROLES}",
                f"GRANT UPDATE (next_run, task) ON django_q_schedule TO {APP_ROLE}",
            ],
            [f"GRANT INSERT, UPDATE, DELETE ON django_q_schedule TO {_ROLES}"],
        )
    ]
