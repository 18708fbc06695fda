"""Relations written by owners and admins of their organisation, with a history."""

import django.db.models.deletion
import simple_history.models
from django.db import migrations, models

import foundation.ids
from foundation.database.policies import ME, ProtectTenant
from foundation.database.urls import APP_ROLE

# An owner or an admin writes the relations of their own organisation.
WRITABLE = (
    f"tenant_id = (SELECT u.tenant_id FROM accounts_user u WHERE u.id = {ME}"
    " AND u.is_active AND (u.role = 'owner' OR u.role = 'admin'))"
)


def _allow(table: str, name: str, verb: str, clause: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE POLICY {name} ON {table} FOR {verb} TO {APP_ROLE} {clause}", f"DROP POLICY {name} ON {table}"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_squashed_0007_groupinvitation"),
        ("knowledge", "0007_entry_defaults"),
    ]

    operations = [
        migrations.CreateModel(
            name="HistoricalKnowledgeRelation",
            fields=[
                ("id", models.UUIDField(db_index=True, default=foundation.ids.new_id, editable=False)),
                (
                    "from_node",
                    models.CharField(help_text="A node, such as linen-jacket.", max_length=120, verbose_name="from"),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("pairs_with", "goes with"),
                            ("part_of", "is part of"),
                            ("requires", "requires"),
                            ("excludes", "excludes"),
                        ],
                        max_length=12,
                    ),
                ),
                ("to_node", models.CharField(help_text="Another node.", max_length=120, verbose_name="to")),
                ("updated_at", models.DateTimeField(blank=True, editable=False)),
                ("history_user_id", models.UUIDField(blank=True, null=True)),
                ("history_id", models.AutoField(primary_key=True, serialize=False)),
                ("history_date", models.DateTimeField(db_index=True)),
                ("history_change_reason", models.CharField(max_length=100, null=True)),
                (
                    "history_type",
                    models.CharField(choices=[("+", "Created"), ("~", "Changed"), ("-", "Deleted")], max_length=1),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="accounts.tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "historical relation of knowledge",
                "verbose_name_plural": "historical relations of knowledge",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        ProtectTenant("historicalknowledgerelation"),
        _allow("knowledge_knowledgerelation", "writers_add", "INSERT", f"WITH CHECK ({WRITABLE})"),
        _allow("knowledge_knowledgerelation", "writers_remove", "DELETE", f"USING ({WRITABLE})"),
        _allow("knowledge_historicalknowledgerelation", "writers_add", "INSERT", f"WITH CHECK ({WRITABLE})"),
    ]
