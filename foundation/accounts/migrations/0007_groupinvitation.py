import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import foundation.ids
from foundation.database.policies import Protect


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_username_skeleton")]
    operations = [
        migrations.CreateModel(
            "GroupInvitation",
            fields=[
                (
                    "id",
                    models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("username", models.CharField(max_length=60)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("declined_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="accounts.chatgroup",
                    ),
                ),
                (
                    "invitee",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations_received",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations_sent",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
                "indexes": [
                    models.Index(fields=["user", "created_at"], name="invitations_sent"),
                    models.Index(fields=["invitee", "expires_at"], name="invitations_received"),
                ],
            },
        ),
        Protect(
            "groupinvitation", party="invitee_id", members_update=("accepted_at", "declined_at", "withdrawn_at")
        ),
    ]
