"""Consent and its versions, erasures with what proves them, exports, the audit log, and the terms of two laws."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models
from django.db.models.expressions import CombinedExpression
from simple_history.models import HistoricalChanges

from foundation.database.policies import HideErased, Protect
from foundation.database.roles import ENTERED_ROLES, ERASER_ROLE
from foundation.database.urls import APP_ROLE
from foundation.ids import new_id

_STATES = [
    ("requested", "Asked for"),
    ("verified", "Confirmed to be yours"),
    ("tombstoned", "Invisible"),
    ("queued", "Waiting for its turn"),
    ("processing", "Being erased"),
    ("completed", "Erased and verified"),
    ("failed", "Failed"),
    ("retry_pending", "Waiting for another try"),
    ("escalated", "With an operator"),
]
_LEGAL_STEPS = """
    ALTER TABLE consent_erasurestep ADD CONSTRAINT erasure_step_follows_the_last
        FOREIGN KEY (tombstone_id, previous_step, previous)
        REFERENCES consent_erasurestep (tombstone_id, step, state);
    ALTER TABLE consent_tombstone ADD CONSTRAINT erasure_state_is_its_last_step
        FOREIGN KEY (id, step, state) REFERENCES consent_erasurestep (tombstone_id, step, state)
        DEFERRABLE INITIALLY DEFERRED;
"""
_NO_LEGAL_STEPS = """
    ALTER TABLE consent_tombstone DROP CONSTRAINT erasure_state_is_its_last_step;
    ALTER TABLE consent_erasurestep DROP CONSTRAINT erasure_step_follows_the_last;
"""
# Members of a group must not see what one of them has asked to erase, so everybody reads the fence: two ids and a time.
_FENCE = f"""
    CREATE POLICY everybody_reads ON consent_erasurefence FOR SELECT
    TO {APP_ROLE}, {", ".join(ENTERED_ROLES)} USING (true);
    REVOKE INSERT, UPDATE, DELETE ON consent_erasurefence FROM {APP_ROLE};
    GRANT INSERT ON consent_erasurefence TO {ERASER_ROLE};
"""
# Of what proves an erasure only the tombstone itself changes, as far as its steps let it.
_FOR_EVER = f"""
    REVOKE DELETE ON consent_tombstone FROM {ERASER_ROLE};
    REVOKE UPDATE, DELETE ON consent_erasurestep, consent_auditevent FROM {ERASER_ROLE};
"""
_PROFILES = (
    ("pipl", "PIPL (China): 15 working days", "CN", "working", 15),
    ("gdpr", "GDPR (EU): one month, counted as 30 days", "", "calendar", 30),
)


def _add_profiles(apps, schema_editor):
    model = apps.get_model("consent", "LegalProfile")
    for code, name, country, sla_type, days in _PROFILES:
        model.objects.using(schema_editor.connection.alias).get_or_create(
            code=code, defaults={"name": name, "country": country, "sla_type": sla_type, "deletion_sla_days": days}
        )


def _key():
    """A UUIDv7 that the application makes."""
    return models.UUIDField(default=new_id, editable=False, primary_key=True, serialize=False)


def _consented():
    """What is consented to, in which version, from when to when."""
    return [
        ("version", models.PositiveIntegerField(default=1)),
        ("save_to_thread", models.BooleanField(default=False, verbose_name="research threads")),
        ("save_to_profile", models.BooleanField(default=False, verbose_name="profile")),
        ("training_use_allowed", models.BooleanField(default=False, verbose_name="training")),
        ("memory_learning_allowed", models.BooleanField(default=False, verbose_name="learning from conversation")),
        (
            "source",
            models.CharField(
                choices=[
                    ("web", "Web page"),
                    ("api", "API"),
                    ("command", "Command line"),
                    ("operator", "An operator, on the person's behalf"),
                ],
                max_length=10,
            ),
        ),
        ("granted_at", models.DateTimeField()),
        ("changed_at", models.DateTimeField()),
        ("revoked_at", models.DateTimeField(blank=True, null=True)),
    ]


def _revision():
    """What makes a row the copy of one as it stood: when, by whom, after which change."""
    return [
        ("history_id", models.AutoField(primary_key=True, serialize=False)),
        ("history_date", models.DateTimeField(db_index=True)),
        ("history_change_reason", models.CharField(max_length=100, null=True)),
        (
            "history_type",
            models.CharField(choices=[("+", "Created"), ("~", "Changed"), ("-", "Deleted")], max_length=1),
        ),
        (
            "history_user",
            models.ForeignKey(null=True, on_delete=models.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
    ]


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("consent", "0001_initial"),
        ("consent", "0002_row_level_security"),
        ("consent", "0003_erasure_export_audit"),
        ("consent", "0004_governed"),
        ("consent", "0005_consent_source_operator"),
        ("consent", "0006_portraits"),
        ("consent", "0007_forget_one_task"),
        ("consent", "0008_audit_details"),
        ("consent", "0009_chat_imports"),
    ]
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("accounts", "0001_squashed_0007_groupinvitation"),
    ]
    operations = [
        migrations.CreateModel(
            name="ProfileConsent",
            fields=[
                ("id", _key()),
                (
                    "user",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="consents", to=settings.AUTH_USER_MODEL),
                ),
                *_consented(),
            ],
            options={
                "verbose_name": "consent",
                "indexes": [models.Index(fields=["user", "-version"], name="latest_consent")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(revoked_at=None), fields=("user",), name="one_current_consent"
                    ),
                    models.CheckConstraint(condition=models.Q(version__gte=1), name="consent_version_from_one"),
                ],
            },
        ),
        Protect("profileconsent"),
        migrations.CreateModel(
            name="HistoricalProfileConsent",
            fields=[
                ("id", models.UUIDField(db_index=True, default=new_id, editable=False)),
                *_consented(),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                *_revision(),
            ],
            options={
                "verbose_name": "historical consent",
                "verbose_name_plural": "historical consents",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
            },
            bases=(HistoricalChanges, models.Model),
        ),
        Protect("historicalprofileconsent"),
        migrations.CreateModel(
            name="LegalProfile",
            fields=[
                ("code", models.SlugField(max_length=40, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=120)),
                ("country", models.CharField(blank=True, max_length=2)),
                (
                    "sla_type",
                    models.CharField(
                        choices=[("working", "working days"), ("calendar", "calendar days")],
                        default="working",
                        max_length=8,
                    ),
                ),
                ("deletion_sla_days", models.PositiveSmallIntegerField(default=15, validators=[MinValueValidator(1)])),
                ("warn_pct", models.PositiveSmallIntegerField(default=25, validators=[MaxValueValidator(100)])),
                ("critical_pct", models.PositiveSmallIntegerField(default=10, validators=[MaxValueValidator(100)])),
            ],
            options={
                "verbose_name": "legal profile",
                "ordering": ("code",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(critical_pct__lte=models.F("warn_pct")), name="critical_after_warning"
                    ),
                    models.CheckConstraint(condition=models.Q(deletion_sla_days__gte=1), name="at_least_one_day"),
                ],
            },
        ),
        migrations.RunPython(_add_profiles, migrations.RunPython.noop),
        migrations.CreateModel(
            name="Tombstone",
            fields=[
                ("id", _key()),
                ("user_id", models.UUIDField()),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("item", "One memory"),
                            ("event", "One event"),
                            ("session", "One conversation"),
                            ("thread", "One thread"),
                            ("task", "One piece of research"),
                            ("portrait", "One portrait"),
                            ("import", "One import"),
                            ("profile", "What I said about myself"),
                            ("memories", "Everything learned"),
                            ("account", "The account"),
                        ],
                        max_length=10,
                    ),
                ),
                ("target_id", models.UUIDField(blank=True, null=True)),
                (
                    "sources",
                    models.CharField(
                        choices=[
                            ("redact", "remove their words"),
                            ("keep", "keep them, and never learn from them again"),
                        ],
                        default="redact",
                        max_length=6,
                    ),
                ),
                ("targets", models.JSONField(blank=True, default=dict)),
                ("item_count", models.PositiveIntegerField(default=0)),
                ("state", models.CharField(choices=_STATES, default="requested", max_length=14)),
                ("step", models.PositiveSmallIntegerField(default=1)),
                ("source", models.CharField(max_length=10)),
                ("consent_version", models.PositiveIntegerField(default=0)),
                ("legal_profile", models.SlugField(max_length=40)),
                ("requested_at", models.DateTimeField()),
                ("due_at", models.DateTimeField()),
                ("completed_at", models.DateTimeField(blank=True, null=True)),
                ("deleted", models.JSONField(blank=True, default=dict)),
                ("verification", models.JSONField(blank=True, null=True)),
                ("certificate", models.JSONField(blank=True, null=True)),
                ("signature", models.TextField(blank=True)),
                ("public_key_id", models.CharField(blank=True, max_length=64)),
                ("link_hash", models.CharField(max_length=64, unique=True)),
            ],
            options={
                "verbose_name": "erasure",
                "ordering": ("-requested_at",),
                "indexes": [
                    models.Index(fields=["user_id", "-requested_at"], name="my_erasures"),
                    models.Index(condition=models.Q(completed_at=None), fields=["due_at"], name="erasures_due"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(completed_at=None) | models.Q(state="completed"),
                        name="erasure_completed_with_its_state",
                    ),
                    models.CheckConstraint(
                        condition=(
                            ~models.Q(state="completed")
                            | models.Q(completed_at__isnull=False, verification__isnull=False)
                        ),
                        name="erasure_completed_after_its_probe",
                    ),
                ],
            },
        ),
        Protect("tombstone", append_only=True),
        migrations.CreateModel(
            name="ErasureStep",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "tombstone",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="steps", to="consent.tombstone"),
                ),
                ("user_id", models.UUIDField()),
                ("step", models.PositiveSmallIntegerField()),
                ("previous_step", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("previous", models.CharField(blank=True, choices=_STATES, max_length=14, null=True)),
                ("state", models.CharField(choices=_STATES, max_length=14)),
                ("reason", models.CharField(blank=True, max_length=80)),
                ("at", models.DateTimeField()),
            ],
            options={
                "ordering": ("step",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(previous=None, previous_step=None, state="requested", step=1),
                            models.Q(
                                ("previous_step", CombinedExpression(models.F("step"), "-", models.Value(1))),
                                ("step__gt", 1),
                                models.Q(
                                    models.Q(previous="requested", state="verified"),
                                    models.Q(previous="verified", state="tombstoned"),
                                    models.Q(previous="tombstoned", state="queued"),
                                    models.Q(previous="queued", state="processing"),
                                    models.Q(previous="processing", state="completed"),
                                    models.Q(previous="processing", state="failed"),
                                    models.Q(previous="failed", state="retry_pending"),
                                    models.Q(previous="retry_pending", state="processing"),
                                    models.Q(previous="retry_pending", state="escalated"),
                                    models.Q(previous="queued", state="escalated"),
                                    models.Q(previous="processing", state="escalated"),
                                    models.Q(previous="escalated", state="queued"),
                                    _connector="OR",
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="erasure_step_is_legal",
                    ),
                    models.UniqueConstraint(fields=("tombstone", "step"), name="one_erasure_step_at_a_time"),
                    models.UniqueConstraint(fields=("tombstone", "step", "state"), name="erasure_step_is_followed"),
                ],
            },
        ),
        Protect("erasurestep", append_only=True),
        migrations.RunSQL(_LEGAL_STEPS, _NO_LEGAL_STEPS),
        migrations.CreateModel(
            name="ErasureFence",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "tombstone",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="fences", to="consent.tombstone"),
                ),
                ("user_id", models.UUIDField()),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("account", "everything"),
                            ("memories", "what was learned"),
                            ("profile", "what was stated"),
                            ("sources", "the messages it was learned from"),
                        ],
                        max_length=10,
                    ),
                ),
                ("before", models.DateTimeField()),
            ],
            options={
                "indexes": [models.Index(fields=["user_id", "scope"], name="fence_of_a_person")],
                "constraints": [
                    models.UniqueConstraint(fields=("tombstone", "scope"), name="one_fence_of_a_kind_per_erasure")
                ],
            },
        ),
        Protect("erasurefence", append_only=True),
        migrations.RunSQL(_FENCE, "DROP POLICY everybody_reads ON consent_erasurefence"),
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                ("id", _key()),
                ("user_id", models.UUIDField()),
                ("actor_id", models.UUIDField(blank=True, null=True)),
                ("action", models.CharField(max_length=60)),
                ("subject_id", models.UUIDField(blank=True, null=True)),
                ("counts", models.JSONField(blank=True, default=dict)),
                ("details", models.JSONField(blank=True, default=dict)),
                ("at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "audit event",
                "ordering": ("-at",),
                "indexes": [
                    models.Index(fields=["user_id", "-at"], name="audit_of_a_person"),
                    models.Index(fields=["action", "-at"], name="audit_by_action"),
                ],
            },
        ),
        Protect("auditevent", append_only=True),
        migrations.RunSQL(_FOR_EVER, migrations.RunSQL.noop),
        migrations.CreateModel(
            name="DataExport",
            fields=[
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Waiting"),
                            ("building", "Being built"),
                            ("ready", "Ready"),
                            ("failed", "Failed"),
                            ("expired", "Expired"),
                        ],
                        default="pending",
                        max_length=8,
                    ),
                ),
                ("progress", models.PositiveSmallIntegerField(default=0)),
                ("size", models.PositiveBigIntegerField(blank=True, null=True)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("source", models.CharField(max_length=10)),
                ("error_class", models.CharField(blank=True, max_length=80)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name": "export",
                "ordering": ("-created_at",),
                "indexes": [models.Index(fields=["user", "-created_at"], name="my_exports")],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(progress__lte=100), name="export_progress_per_cent"),
                    models.CheckConstraint(
                        condition=(
                            ~models.Q(state="ready")
                            | models.Q(expires_at__isnull=False, sha256__gt="", size__isnull=False)
                        ),
                        name="export_ready_with_its_digest",
                    ),
                ],
            },
        ),
        Protect("dataexport"),
        HideErased("dataexport", scopes=("account",), clock="created_at"),
    ]
