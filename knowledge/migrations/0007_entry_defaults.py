"""Defaults in the database for what the release before does not write of an entry."""

import django.contrib.postgres.fields
from django.db import migrations, models

ROLES = [("owner", "Owner"), ("admin", "Admin"), ("editor", "Editor"), ("viewer", "Viewer")]
PLATFORMS = [
    ("web", "the web pages"),
    ("api", "a program, through FinClaw's API"),
    ("openai", "a program, through OpenAI's protocol"),
]
FIELDS = {
    "roles": lambda: django.contrib.postgres.fields.ArrayField(
        base_field=models.CharField(choices=ROLES, max_length=10),
        blank=True,
        db_default=[],
        default=list,
        help_text="For whom it holds: owner, admin, editor, viewer, separated by commas. Empty: all.",
        size=None,
        verbose_name="roles",
    ),
    "platforms": lambda: django.contrib.postgres.fields.ArrayField(
        base_field=models.CharField(choices=PLATFORMS, max_length=10),
        blank=True,
        db_default=[],
        default=list,
        help_text="On which platforms it holds: web, api, openai, separated by commas. Empty: all.",
        size=None,
        verbose_name="platforms",
    ),
    "external_id": lambda: models.CharField(
        blank=True,
        db_default="",
        default="",
        help_text="The organisation's own id of it: an import with the same one changes this entry.",
        max_length=120,
    ),
}


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0006_relations")]

    operations = [
        migrations.AlterField(model, name, field())
        for model in ("knowledgeentry", "historicalknowledgeentry")
        for name, field in FIELDS.items()
    ]
