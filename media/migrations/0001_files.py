"""The files that users upload, the messages that use them, and the keys that encrypt them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import foundation.ids
from foundation.database.policies import HideErased, Protect
from foundation.database.program_policies import WithholdFromPrograms, shows


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0007_withheld_kinds"),
        ("consent", "0015_experiments"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="MediaKey",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("wrapped_key", models.CharField(max_length=120)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "key of files",
                "verbose_name_plural": "keys of files",
            },
        ),
        migrations.CreateModel(
            name="MediaFile",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                (
                    "id",
                    models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=120)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("image", "Picture"),
                            ("document", "Document"),
                            ("audio", "Recording"),
                            ("text", "Text"),
                        ],
                        max_length=8,
                    ),
                ),
                ("media_type", models.CharField(max_length=100)),
                ("size", models.PositiveBigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                (
                    "security_status",
                    models.CharField(
                        choices=[
                            ("pending", "Being checked"),
                            ("safe", "Safe"),
                            ("unsafe", "Refused"),
                            ("failed", "Not checked"),
                        ],
                        default="pending",
                        max_length=7,
                    ),
                ),
                ("security_reason", models.CharField(blank=True, max_length=40)),
                ("scanned_at", models.DateTimeField(blank=True, null=True)),
                ("stored_name", models.CharField(blank=True, max_length=120)),
                ("stored_size", models.PositiveBigIntegerField(default=0)),
                ("has_thumbnail", models.BooleanField(default=False)),
                ("width", models.PositiveIntegerField(blank=True, null=True)),
                ("height", models.PositiveIntegerField(blank=True, null=True)),
                ("pages", models.PositiveIntegerField(blank=True, null=True)),
                ("wrapped_key", models.CharField(max_length=120)),
                ("text_fallback", models.TextField(blank=True)),
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
                "verbose_name": "file",
                "verbose_name_plural": "files",
                "ordering": ("-created_at",),
            },
        ),
        migrations.CreateModel(
            name="MediaUse",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                (
                    "id",
                    models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("session_id", models.UUIDField()),
                ("message_id", models.UUIDField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "media",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uses", to="media.mediafile"
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
                "verbose_name": "use of a file",
                "verbose_name_plural": "uses of files",
                "ordering": ("created_at",),
            },
        ),
        migrations.AddIndex(
            model_name="mediafile",
            index=models.Index(fields=["user", "-created_at", "-id"], name="files_of_a_user"),
        ),
        migrations.AddConstraint(
            model_name="mediafile",
            constraint=models.UniqueConstraint(
                condition=models.Q(("tombstone_id", None)), fields=("user", "sha256"), name="one_file_of_the_same_bytes"
            ),
        ),
        migrations.AddIndex(
            model_name="mediause",
            index=models.Index(fields=["user", "session_id"], name="uses_in_a_conversation"),
        ),
        migrations.AddConstraint(
            model_name="mediause",
            constraint=models.UniqueConstraint(fields=("message_id", "media"), name="one_use_of_a_file_in_a_message"),
        ),
        Protect("mediakey"),
        HideErased("mediakey", scopes=("account",), clock="created_at"),
        Protect("mediafile"),
        HideErased("mediafile", scopes=("account", "sources"), marked=True, clock="created_at", as_alternatives=True),
        WithholdFromPrograms("mediafile", visible=shows("'turn'")),
        Protect("mediause"),
        HideErased("mediause", scopes=("account", "sources"), marked=True, clock="created_at", as_alternatives=True),
        WithholdFromPrograms("mediause", visible=shows("'turn'")),
    ]
