"""The text of files: whether it was read, and its passages."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import foundation.ids
from foundation.database.policies import HideErased, Protect
from foundation.database.program_policies import WithholdFromPrograms, shows


class Migration(migrations.Migration):
    dependencies = [
        ("media", "0001_files"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="mediafile",
            name="text_state",
            field=models.CharField(
                choices=[("waiting", "Being read"), ("read", "Read"), ("unread", "Not read")],
                db_default="waiting",
                default="waiting",
                max_length=7,
            ),
        ),
        migrations.AddField(
            model_name="mediafile",
            name="unread_reason",
            field=models.CharField(blank=True, db_default="", default="", max_length=20),
        ),
        migrations.AddField(
            model_name="mediafile",
            name="text_is_cut",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.CreateModel(
            name="MediaPassage",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                (
                    "id",
                    models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("position", models.PositiveIntegerField()),
                ("page", models.PositiveIntegerField()),
                ("file_name", models.CharField(max_length=120)),
                ("text", models.TextField()),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "media",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passages",
                        to="media.mediafile",
                    ),
                ),
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
                "verbose_name": "passage of a file",
                "verbose_name_plural": "passages of files",
                "ordering": ("media_id", "position"),
            },
        ),
        migrations.AddIndex(
            model_name="mediapassage",
            index=models.Index(fields=["user"], name="passages_of_a_user"),
        ),
        migrations.AddConstraint(
            model_name="mediapassage",
            constraint=models.UniqueConstraint(fields=("media", "position"), name="one_passage_at_a_place"),
        ),
        Protect("mediapassage"),
        HideErased("mediapassage", scopes=("account", "sources"), marked=True, clock="created_at", as_alternatives=True),
        WithholdFromPrograms("mediapassage", visible=shows("'turn'")),
    ]
