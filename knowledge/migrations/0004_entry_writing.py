"""Entries for roles and platforms, with the organisation's own id, written by its owners and admins."""

import django.contrib.postgres.fields
from django.db import migrations, models

from foundation.database.policies import ME
from foundation.database.urls import APP_ROLE

ROLES = [("owner", "Owner"), ("admin", "Admin"), ("editor", "Editor"), ("viewer", "Viewer")]
PLATFORMS = [
    ("web", "the web pages"),
    ("api", "a program, through FinClaw's API"),
    ("openai", "a program, through OpenAI's protocol"),
]
KINDS = [
    ("rule", "Rule"),
    ("role_rule", "How to speak to a role"),
    ("tone", "Tone"),
    ("platform_tone", "Tone of a platform"),
    ("fact", "Fact"),
]
FIELDS = {
    "roles": lambda: django.contrib.postgres.fields.ArrayField(
        base_field=models.CharField(choices=ROLES, max_length=10),
        blank=True,
        default=list,
        help_text="For whom it holds: owner, admin, editor, viewer, separated by commas. Empty: all.",
        size=None,
        verbose_name="roles",
    ),
    "platforms": lambda: django.contrib.postgres.fields.ArrayField(
        base_field=models.CharField(choices=PLATFORMS, max_length=10),
        blank=True,
        default=list,
        help_text="On which platforms it holds: web, api, openai, separated by commas. Empty: all.",
        size=None,
        verbose_name="platforms",
    ),
    "external_id": lambda: models.CharField(
        blank=True,
        help_text="The organisation's own id of it: an import with the same one changes this entry.",
        max_length=120,
        default="",
    ),
}

# An owner or an admin writes the entries of their own organisation, but none that was promoted from a memory.
WRITABLE = (
    "derived_from_user IS NULL AND tenant_id = (SELECT u.tenant_id FROM accounts_user u"
    f" WHERE u.id = {ME} AND u.is_active AND (u.role = 'owner' OR u.role = 'admin'))"
)


def _allow(table: str, name: str, verb: str, *clauses: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE POLICY {name} ON {table} FOR {verb} TO {APP_ROLE} {' '.join(clauses)}",
        f"DROP POLICY {name} ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0002_bookmarks")]

    operations = [
        *(
            migrations.AddField(model, name, field())
            for model in ("knowledgeentry", "historicalknowledgeentry")
            for name, field in FIELDS.items()
        ),
        *(
            migrations.AlterField(model, "kind", models.CharField(choices=KINDS, default="fact", max_length=20))
            for model in ("knowledgeentry", "historicalknowledgeentry")
        ),
        migrations.AddConstraint(
            "knowledgeentry",
            models.UniqueConstraint(
                condition=models.Q(("external_id", ""), _negated=True),
                fields=("tenant", "external_id"),
                name="one_entry_an_external_id",
            ),
        ),
        _allow("knowledge_knowledgeentry", "writers_add", "INSERT", f"WITH CHECK ({WRITABLE})"),
        _allow(
            "knowledge_knowledgeentry", "writers_change", "UPDATE", f"USING ({WRITABLE})", f"WITH CHECK ({WRITABLE})"
        ),
        _allow("knowledge_historicalknowledgeentry", "writers_add", "INSERT", f"WITH CHECK ({WRITABLE})"),
    ]
