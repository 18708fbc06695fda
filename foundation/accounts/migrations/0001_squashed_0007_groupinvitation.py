"""Organisations, accounts and what signs them in, groups and invitations to them."""

from django.conf import settings
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import migrations, models
from django.utils import timezone

from foundation.accounts.fields import SkeletonField
from foundation.accounts.models import new_content_key, validate_time_zone
from foundation.accounts.validators import validate_characters
from foundation.database.policies import Protect
from foundation.ids import new_id


def _key():
    """A UUIDv7 that the application makes."""
    return models.UUIDField(default=new_id, editable=False, primary_key=True, serialize=False)


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("accounts", "0001_initial"),
        ("accounts", "0002_user_tip_shown_at"),
        ("accounts", "0003_browsersession"),
        ("accounts", "0004_drop_knox"),
        ("accounts", "0005_attemptcount"),
        ("accounts", "0006_username_skeleton"),
        ("accounts", "0007_groupinvitation"),
    ]
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    operations = [
        migrations.CreateModel(
            name="Tenant",
            fields=[
                ("id", _key()),
                ("name", models.CharField(max_length=120, unique=True)),
                (
                    "org_tier",
                    models.CharField(
                        choices=[
                            ("brand_hq", "Brand headquarters"),
                            ("regional_agent", "Regional agent"),
                            ("franchise_store", "Franchise store"),
                        ],
                        default="brand_hq",
                        max_length=20,
                    ),
                ),
                ("settings", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("name",),
            },
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                ("id", _key()),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "This user name is taken."},
                        max_length=60,
                        unique=True,
                        validators=[UnicodeUsernameValidator(), validate_characters],
                        verbose_name="user name",
                    ),
                ),
                ("username_skeleton", SkeletonField(editable=False)),
                ("is_staff", models.BooleanField(default=False, verbose_name="operator")),
                ("is_active", models.BooleanField(default=True, verbose_name="active")),
                ("date_joined", models.DateTimeField(default=timezone.now)),
                ("display_name", models.CharField(blank=True, max_length=60, validators=[validate_characters])),
                ("time_zone", models.CharField(default="UTC", max_length=64, validators=[validate_time_zone])),
                (
                    "tenant",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.PROTECT, related_name="users", to="accounts.tenant"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "Owner"), ("admin", "Admin"), ("editor", "Editor"), ("viewer", "Viewer")],
                        default="editor",
                        max_length=10,
                    ),
                ),
                ("content_key", models.BinaryField(default=new_content_key)),
                ("tip_shown_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text=(
                            "The groups this user belongs to. A user will get all permissions granted to each of their"
                            " groups."
                        ),
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "ordering": ("username",),
            },
        ),
        # Apart from the table: PostgreSQL would name the constraint otherwise than in databases made before the field.
        migrations.AlterField("user", "username_skeleton", SkeletonField(editable=False, unique=True)),
        migrations.CreateModel(
            name="QuarantinedName",
            fields=[
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("until", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("digest", models.CharField(max_length=128, primary_key=True, serialize=False)),
                ("token_key", models.CharField(db_index=True, max_length=25)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expiry", models.DateTimeField(blank=True, null=True)),
                ("id", models.UUIDField(default=new_id, editable=False, unique=True)),
                (
                    "user",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="api_tokens", to=settings.AUTH_USER_MODEL),
                ),
                ("name", models.CharField(blank=True, max_length=80)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("-created",),
            },
        ),
        migrations.CreateModel(
            name="RecoveryCode",
            fields=[
                ("id", _key()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="recovery_codes", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("code_hash", models.CharField(max_length=128)),
                ("used_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [models.Index(fields=["user", "used_at"], name="usable_codes")],
            },
        ),
        migrations.CreateModel(
            name="BrowserSession",
            fields=[
                (
                    "session_key",
                    models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name="session key"),
                ),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="browser_sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "session",
                "verbose_name_plural": "sessions",
            },
        ),
        migrations.CreateModel(
            name="AttemptCount",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("since", models.DateTimeField(db_index=True)),
                ("not_before", models.DateTimeField(null=True)),
            ],
        ),
        migrations.RunSQL("ALTER TABLE accounts_attemptcount SET UNLOGGED", migrations.RunSQL.noop),
        migrations.CreateModel(
            name="ChatGroup",
            fields=[
                ("id", _key()),
                ("name", models.CharField(max_length=120)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True, on_delete=models.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("-created_at",),
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", _key()),
                (
                    "group",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="memberships", to="accounts.chatgroup"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="memberships", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("is_owner", models.BooleanField(default=False)),
                ("joined_at", models.DateTimeField(auto_now_add=True)),
                ("left_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "indexes": [models.Index(fields=["user", "left_at"], include=("group",), name="my_groups")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(left_at=None), fields=("group", "user"), name="one_membership_at_a_time"
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="chatgroup",
            name="members",
            field=models.ManyToManyField(
                related_name="chat_groups", through="accounts.Membership", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.CreateModel(
            name="GroupInvitation",
            fields=[
                ("id", _key()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="invitations_sent", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "invitee",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="invitations_received",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="invitations", to="accounts.chatgroup"),
                ),
                ("username", models.CharField(max_length=60)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("declined_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ("-created_at",),
                "indexes": [
                    models.Index(fields=["user", "created_at"], name="invitations_sent"),
                    models.Index(fields=["invitee", "expires_at"], name="invitations_received"),
                ],
            },
        ),
        Protect("groupinvitation", party="invitee_id", members_update=("accepted_at", "declined_at", "withdrawn_at")),
    ]
