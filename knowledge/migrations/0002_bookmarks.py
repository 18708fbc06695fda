"""Bookmarks of knowledge entries, by reference."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import foundation.ids
from foundation.database.policies import HideErased, Protect


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Bookmark",
            fields=[
                (
                    "id",
                    models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("knowledge_id", models.UUIDField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "bookmark",
                "verbose_name_plural": "bookmarks",
                "ordering": ("-created_at",),
                "indexes": [models.Index(fields=["user", "-created_at", "-id"], name="bookmarks_of_a_user")],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "knowledge_id"), name="one_bookmark_an_entry"),
                ],
            },
        ),
        Protect("bookmark"),
        HideErased("bookmark", scopes=("account",), clock="created_at"),
    ]
