"""The queue of jobs, and who may change what runs by the clock."""

from django.conf import settings
from django.db import migrations, models

from foundation.database.policies import Protect
from foundation.database.roles import ENTERED_ROLES
from foundation.database.urls import APP_ROLE
from foundation.ids import new_id

_ROLES = ", ".join((APP_ROLE, *ENTERED_ROLES))


def _key():
    """A UUIDv7 that the application makes."""
    return models.UUIDField(default=new_id, editable=False, primary_key=True, serialize=False)


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("outbox", "0001_initial"),
        ("outbox", "0002_row_level_security"),
        ("outbox", "0003_schedules_are_the_owners"),
    ]
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("accounts", "0001_squashed_0007_groupinvitation"),
        ("django_q", "0019_alter_task_options_alter_ormq_key_alter_ormq_lock_and_more"),
    ]
    operations = [
        migrations.CreateModel(
            name="OutboxMessage",
            fields=[
                ("id", _key()),
                ("topic", models.CharField(max_length=60)),
                (
                    "user",
                    models.ForeignKey(
                        null=True, on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("payload", models.JSONField(default=dict)),
                ("scope", models.CharField(blank=True, max_length=30)),
                (
                    "priority",
                    models.PositiveSmallIntegerField(choices=[(0, "Urgent"), (5, "Normal"), (9, "Low")], default=5),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Waiting"),
                            ("processing", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="pending",
                        max_length=12,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("max_attempts", models.PositiveSmallIntegerField()),
                ("available_at", models.DateTimeField()),
                ("leased_until", models.DateTimeField(blank=True, null=True)),
                ("result", models.JSONField(blank=True, null=True)),
                ("error_class", models.CharField(blank=True, max_length=80)),
                ("error_sqlstate", models.CharField(blank=True, max_length=5)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name": "job",
                "verbose_name_plural": "jobs",
                "ordering": ("-created_at",),
                "indexes": [
                    models.Index(
                        condition=models.Q(state="pending"), fields=["priority", "available_at"], name="outbox_pending"
                    ),
                    models.Index(condition=models.Q(state="processing"), fields=["leased_until"], name="outbox_leased"),
                    models.Index(fields=["user", "state"], name="outbox_by_user"),
                ],
            },
        ),
        Protect("outboxmessage", shared_work=True),
        # Schedules are written by the owner alone; a worker moves the next run and names the latest.
        migrations.RunSQL(
            [
                f"REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON django_q_schedule FROM {_ROLES}",
                f"GRANT UPDATE (next_run, task) ON django_q_schedule TO {APP_ROLE}",
            ],
            [f"GRANT INSERT, UPDATE, DELETE ON django_q_schedule TO {_ROLES}"],
        ),
    ]
