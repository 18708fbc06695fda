"""Conversations and events, memories, what search reads, receipts, portraits, research, and chats brought in."""

from django.conf import settings
from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models
from django.utils import timezone
from pgvector.django import HalfVectorField, VectorExtension
from simple_history.models import HistoricalChanges

from foundation.accounts.models import validate_time_zone
from foundation.database.policies import ME, MINE, HideErased, Protect, ProtectTenant
from foundation.database.roles import ENTERED_ROLES, ERASER_ROLE, WORKER_ROLE
from foundation.database.urls import APP_ROLE
from foundation.ids import new_id
from memory.models.search import BitString

_WRITERS = ", ".join((APP_ROLE, *ENTERED_ROLES))
_LEARNED = ("account", "memories")  # the scopes of an erasure that cover what was learned
_STATED = ("account", "profile")  # and what somebody stated about themselves

# A conversation that others speak in goes to one of them, when whoever began it leaves for good.
_HAND_OVER = f"""
    CREATE POLICY eraser_hands_over ON memory_session FOR UPDATE TO {ERASER_ROLE}
    USING ({MINE}) WITH CHECK (group_id IS NOT NULL)
"""

# PostgreSQL asks an UPDATE's new row of the policies for SELECT too, wherever the statement reads a column: whoever
# hands a conversation over must still see it.
_SEES = f"""
    CREATE POLICY eraser_sees_handed_over ON memory_session FOR SELECT TO {ERASER_ROLE}
    USING (group_id = ANY(ARRAY(SELECT m.group_id FROM accounts_membership m WHERE m.user_id = {ME})))
"""

# A range of a single key is how GiST compares keys without an extension.
_RANGE = "CREATE TYPE uuidrange AS RANGE (subtype = uuid)"

# Two bits a lexeme in a filter of 16 to 32 bits a lexeme, a power of two: of a hundred lexemes that are not there about
# one seems to be (Bloom 1970: (1 - e^(-2/16))² = 1.4 %). At most 8,192 bits, so that the index takes every entry.
_BLOOM = """
    CREATE FUNCTION memory_bloom(terms tsvector) RETURNS varbit LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    DECLARE
        size int := least(8192, 64 << greatest(0, ceil(log(2, greatest(1, length(terms)) / 4.0))::int));
        filter varbit := repeat('0', size)::varbit;
        lexeme text;
        hash bigint;
    BEGIN
        FOREACH lexeme IN ARRAY tsvector_to_array(terms) LOOP
            hash := hashtextextended(lexeme, 0);
            filter := set_bit(set_bit(filter, (hash & (size - 1))::int, 1), (hash >> 32 & (size - 1))::int, 1);
        END LOOP;
        RETURN filter;
    END $$
"""

# A narrow row a turn, kept in its page: a detached vector would cost a second read a row. What a first look reads is
# uncompressed: every look would have to unpack it.
_STORAGE = """
    ALTER TABLE memory_searchentry SET (toast_tuple_target = 8160);
    ALTER TABLE memory_searchentry
        ALTER COLUMN vector SET STORAGE MAIN, ALTER COLUMN terms SET STORAGE MAIN,
        ALTER COLUMN quantized SET STORAGE EXTERNAL, ALTER COLUMN bloom SET STORAGE EXTERNAL
"""
# An index alone answers only for pages that a vacuum has seen: by default it waits for a fifth of the table.
_VACUUM = """
    ALTER TABLE memory_searchentry SET (
        autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02
    )
"""
_UNDO_VACUUM = """
    ALTER TABLE memory_searchentry RESET (autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_scale_factor)
"""

# What a first look at very many entries goes by, all of it in the index.
_FIRST_LOOK = (
    "id", "session_id", "occurred_at", "live", "created_at", "tombstone_id", "model_id", "length", "quantized", "bloom",
)  # fmt: skip
_OF_MEMORIES = 2  # what a portrait is made of; 1 was of events alone


def _key():
    """A UUIDv7 that the application makes."""
    return models.UUIDField(default=new_id, editable=False, primary_key=True, serialize=False)


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


def _stated():
    """What somebody states about how they work: for good, for a task, or for a thread."""
    return [
        (
            "language_preference",
            models.CharField(
                blank=True, choices=[("en", "English"), ("zh", "中文")], max_length=2, verbose_name="language"
            ),
        ),
        (
            "research_depth",
            models.CharField(
                blank=True,
                choices=[("quick", "Quick"), ("standard", "Standard"), ("deep", "Deep")],
                max_length=10,
                verbose_name="research depth",
            ),
        ),
        (
            "risk_prompt_preference",
            models.CharField(
                blank=True,
                choices=[
                    ("balanced", "Balanced"),
                    ("counter_first", "Counter-arguments first"),
                    ("risk_first", "Risks first"),
                ],
                max_length=15,
                verbose_name="how to speak of risk",
            ),
        ),
        ("user_focus_reason", models.CharField(blank=True, max_length=500, verbose_name="what you care about")),
        ("research_style", models.CharField(blank=True, max_length=500, verbose_name="research style")),
        ("user_stated_position_context", models.CharField(blank=True, max_length=500, verbose_name="positions")),
        ("time_horizon", models.CharField(blank=True, max_length=200, verbose_name="time horizon")),
        ("constraints", models.CharField(blank=True, max_length=500, verbose_name="constraints")),
    ]


def _portrait():
    """A portrait as it stands in a revision."""
    return [
        ("entity_type", models.CharField(choices=[("user", "Person"), ("group", "Group")], max_length=5)),
        ("entity_id", models.UUIDField()),
        ("name", models.CharField(max_length=120)),
        ("tags", ArrayField(base_field=models.CharField(max_length=40), blank=True, default=list, size=None)),
        ("body", models.TextField(blank=True)),
        ("lines", models.JSONField(blank=True, default=list)),
        ("left_out", ArrayField(base_field=models.UUIDField(), blank=True, default=list, size=None)),
        ("made_by", models.PositiveSmallIntegerField(db_default=_OF_MEMORIES, default=_OF_MEMORIES)),
        ("source_event_id", models.CharField(blank=True, max_length=100)),
        ("revision", models.PositiveIntegerField(default=1)),
        (
            "change",
            models.CharField(
                choices=[
                    ("learned", "learned"),
                    ("edited", "edited by you"),
                    ("rolled_back", "taken back to an earlier version"),
                ],
                max_length=11,
            ),
        ),
        ("restored_revision", models.PositiveIntegerField(blank=True, null=True)),
        ("consent_version", models.PositiveIntegerField()),
    ]


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("memory", "0001_initial"),
        ("memory", "0002_row_level_security"),
        ("memory", "0003_tombstones"),
        ("memory", "0004_erased_is_invisible"),
        ("memory", "0005_visible_items_by_index"),
        ("memory", "0006_handed_over_is_seen"),
        ("memory", "0007_evolution_history"),
        ("memory", "0008_receipt_reasons"),
        ("memory", "0009_acceptance_reports"),
        ("memory", "0010_proposals_and_experience"),
        ("memory", "0011_one_version_true_at_a_time"),
        ("memory", "0012_what_holds_no_more"),
        ("memory", "0013_first_look"),
        ("memory", "0014_entity_profiles"),
        ("memory", "0015_why_it_stood_there"),
        ("memory", "0016_research"),
        ("memory", "0017_task_note"),
        ("memory", "0018_entries_by_model"),
        ("memory", "0019_items_in_conflict"),
        ("memory", "0020_to_be_read"),
        ("memory", "0021_events_by_part"),
        ("memory", "0022_messages_ended"),
        ("memory", "0023_portraits_of_what_is_remembered"),
        ("memory", "0024_chat_imports"),
    ]
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("accounts", "0001_squashed_0007_groupinvitation"),
        ("consent", "0001_squashed_0009_chat_imports"),
    ]
    operations = [
        VectorExtension(),
        # --- what somebody states about themselves ----------------------------------------------------------
        migrations.CreateModel(
            name="UserContext",
            fields=[
                *_stated(),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("scope", models.CharField(choices=[("profile", "Profile")], default="profile", max_length=10)),
                ("updated_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("user", "scope"), name="one_profile_context")],
            },
        ),
        Protect("usercontext"),
        HideErased("usercontext", scopes=_STATED, clock="created_at"),
        migrations.CreateModel(
            name="HistoricalUserContext",
            fields=[
                *_stated(),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(blank=True, editable=False)),
                ("id", models.UUIDField(db_index=True, default=new_id, editable=False)),
                ("scope", models.CharField(choices=[("profile", "Profile")], default="profile", max_length=10)),
                ("updated_at", models.DateTimeField(blank=True, editable=False)),
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
                "verbose_name": "historical user context",
                "verbose_name_plural": "historical user contexts",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
            },
            bases=(HistoricalChanges, models.Model),
        ),
        Protect("historicalusercontext"),
        HideErased("historicalusercontext", scopes=_STATED),
        # --- research ---------------------------------------------------------------------------------------
        migrations.CreateModel(
            name="Thread",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("title", models.CharField(max_length=200)),
                (
                    "object_kind",
                    models.CharField(
                        choices=[("asset", "Asset"), ("theme", "Theme"), ("event", "Event")], max_length=5
                    ),
                ),
                ("object_name", models.CharField(max_length=200)),
                ("current_thesis", models.TextField()),
                ("refresh_conditions", models.JSONField(blank=True, default=list)),
                (
                    "state",
                    models.CharField(choices=[("open", "Open"), ("closed", "Closed")], default="open", max_length=6),
                ),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name": "thread",
                "ordering": ("-updated_at",),
                "indexes": [models.Index(fields=["user", "-updated_at"], name="my_threads")],
            },
        ),
        Protect("thread"),
        HideErased("thread", scopes=("account",), marked=True, clock="created_at"),
        migrations.CreateModel(
            name="ThreadContext",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                *_stated(),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("thread", models.ForeignKey(on_delete=models.CASCADE, related_name="contexts", to="memory.thread")),
                ("consent_blocked", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ("created_at",),
                "indexes": [models.Index(fields=["thread", "created_at"], name="contexts_of_thread")],
            },
        ),
        Protect("threadcontext"),
        HideErased("threadcontext", scopes=("account",), marked=True, clock="created_at"),
        migrations.CreateModel(
            name="ResearchTask",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "route",
                    models.CharField(
                        choices=[
                            ("snapshot", "Snapshot"),
                            ("thread_refresh", "Refresh a thread"),
                            ("risk_challenge", "Challenge the risks"),
                            ("pre_execution", "Check before acting"),
                            ("evidence_audit", "Audit the evidence"),
                            ("narrative_mapper", "Map the narratives"),
                            ("event_impact_reader", "Read an event's impact"),
                        ],
                        max_length=20,
                    ),
                ),
                ("prompt", models.TextField()),
                ("overrides", models.JSONField(blank=True, default=dict)),
                (
                    "thread",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.CASCADE, related_name="tasks", to="memory.thread"
                    ),
                ),
                ("as_of", models.DateTimeField(blank=True, null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Waiting"),
                            ("running", "Running"),
                            ("completed", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="pending",
                        max_length=9,
                    ),
                ),
                ("progress", models.PositiveSmallIntegerField(default=0)),
                ("step", models.CharField(blank=True, max_length=40)),
                ("partial", models.JSONField(blank=True, default=list)),
                ("cancel_requested_at", models.DateTimeField(blank=True, null=True)),
                ("erasures", models.PositiveIntegerField(default=0)),
                ("context", models.JSONField(blank=True, default=dict)),
                ("advisors", models.JSONField(blank=True, default=list)),
                ("lookahead_warnings", models.JSONField(blank=True, default=list)),
                ("degraded", models.JSONField(blank=True, default=list)),
                ("tip", models.BooleanField(default=False)),
                (
                    "result_kind",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("snapshot", "Snapshot"),
                            ("refresh", "Refresh"),
                            ("checkpoint", "Checkpoint"),
                            ("report", "Report"),
                        ],
                        max_length=10,
                    ),
                ),
                ("result_id", models.UUIDField(blank=True, null=True)),
                ("report", models.JSONField(blank=True, default=dict)),
                ("model_id", models.CharField(blank=True, max_length=120)),
                ("error_code", models.CharField(blank=True, max_length=40)),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name": "task",
                "ordering": ("-created_at",),
                "indexes": [models.Index(fields=["user", "-created_at"], name="my_tasks")],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(progress__lte=100), name="task_progress_per_cent"),
                    models.CheckConstraint(
                        condition=models.Q(state__in=("pending", "running")) ^ models.Q(ended_at__isnull=False),
                        name="over_means_ended",
                    ),
                ],
            },
        ),
        Protect("researchtask"),
        HideErased("researchtask", scopes=("account",), marked=True, clock="created_at"),
        migrations.CreateModel(
            name="TaskContext",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                *_stated(),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "task",
                    models.OneToOneField(
                        on_delete=models.CASCADE, related_name="context_used", to="memory.researchtask"
                    ),
                ),
                ("note", models.JSONField(blank=True, default=list)),
                ("expires_at", models.DateTimeField()),
            ],
        ),
        Protect("taskcontext"),
        HideErased("taskcontext", scopes=_STATED, marked=True, clock="created_at"),
        migrations.CreateModel(
            name="Snapshot",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("model_id", models.CharField(max_length=120)),
                ("as_of", models.DateTimeField(blank=True, null=True)),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "task",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="snapshots", to="memory.researchtask"),
                ),
                (
                    "thread",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.CASCADE, related_name="snapshots", to="memory.thread"
                    ),
                ),
                (
                    "object_kind",
                    models.CharField(
                        choices=[("asset", "Asset"), ("theme", "Theme"), ("event", "Event")], max_length=5
                    ),
                ),
                ("object_name", models.CharField(max_length=200)),
                ("main_thesis", models.TextField()),
                ("thesis_sources", models.JSONField(blank=True, default=list)),
                ("evidence", models.JSONField(blank=True, default=list)),
                ("counter_thesis", models.JSONField(blank=True, default=list)),
                ("invalidators", models.JSONField(blank=True, default=list)),
                ("told", models.JSONField(blank=True, default=list)),
                ("watch_questions", models.JSONField(blank=True, default=list)),
                ("data_quality_note", models.TextField(blank=True)),
            ],
            options={
                "verbose_name": "snapshot",
                "ordering": ("-created_at",),
                "indexes": [
                    models.Index(fields=["user", "-created_at"], name="my_snapshots"),
                    models.Index(
                        condition=~models.Q(thread=None), fields=["thread", "-created_at"], name="snapshots_of_thread"
                    ),
                ],
            },
        ),
        Protect("snapshot"),
        HideErased("snapshot", scopes=("account",), marked=True, clock="created_at"),
        migrations.CreateModel(
            name="Refresh",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("model_id", models.CharField(max_length=120)),
                ("as_of", models.DateTimeField(blank=True, null=True)),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("thread", models.ForeignKey(on_delete=models.CASCADE, related_name="refreshes", to="memory.thread")),
                (
                    "task",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="refreshes", to="memory.researchtask"),
                ),
                (
                    "snapshot",
                    models.OneToOneField(on_delete=models.CASCADE, related_name="refresh", to="memory.snapshot"),
                ),
                ("thesis_before", models.TextField()),
                ("change_summary", models.TextField()),
                ("changed_inferences", models.JSONField(blank=True, default=list)),
            ],
            options={
                "verbose_name": "refresh",
                "ordering": ("-created_at",),
                "indexes": [models.Index(fields=["thread", "-created_at"], name="refreshes_of_thread")],
            },
        ),
        Protect("refresh"),
        HideErased("refresh", scopes=("account",), marked=True, clock="created_at"),
        migrations.CreateModel(
            name="WatchQuestion",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "thread",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="watch_questions", to="memory.thread"),
                ),
                ("question", models.CharField(max_length=500)),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "Open"), ("resolved", "Resolved"), ("reopened", "Reopened")],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("resolved_at", models.DateTimeField(blank=True, null=True)),
                ("reopened_at", models.DateTimeField(blank=True, null=True)),
                ("updates", models.JSONField(blank=True, default=list)),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "watch question",
                "ordering": ("created_at",),
                "indexes": [models.Index(fields=["thread", "created_at"], name="questions_of_thread")],
            },
        ),
        Protect("watchquestion"),
        HideErased("watchquestion", scopes=("account",), marked=True, clock="created_at"),
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("model_id", models.CharField(max_length=120)),
                ("as_of", models.DateTimeField(blank=True, null=True)),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "task",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="checkpoints", to="memory.researchtask"),
                ),
                (
                    "thread",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.CASCADE, related_name="checkpoints", to="memory.thread"
                    ),
                ),
                ("decision", models.TextField()),
                ("conditions", models.JSONField(blank=True, default=list)),
                ("risks", models.JSONField(blank=True, default=list)),
                ("invalidators", models.JSONField(blank=True, default=list)),
                ("told", models.JSONField(blank=True, default=list)),
                ("data_quality_note", models.TextField(blank=True)),
            ],
            options={
                "verbose_name": "checkpoint",
                "ordering": ("-created_at",),
                "indexes": [models.Index(fields=["user", "-created_at"], name="my_checkpoints")],
            },
        ),
        Protect("checkpoint"),
        HideErased("checkpoint", scopes=("account",), marked=True, clock="created_at"),
        migrations.CreateModel(
            name="TrainingAssetCandidate",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("object_ref", models.CharField(max_length=60)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("pending", "Waits for a review"),
                            ("accepted", "Accepted"),
                            ("rejected", "Turned down"),
                        ],
                        default="pending",
                        max_length=8,
                    ),
                ),
                (
                    "withdrawal_status",
                    models.CharField(
                        choices=[("none", "Consent holds"), ("revoked", "Consent taken back")],
                        default="none",
                        max_length=7,
                    ),
                ),
                ("reviewed_at", models.DateTimeField(blank=True, null=True)),
                ("reviewed_by", models.UUIDField(blank=True, null=True)),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "training candidate",
                "ordering": ("-created_at",),
                "constraints": [
                    models.UniqueConstraint(fields=("user", "object_ref"), name="one_candidate_per_object")
                ],
            },
        ),
        Protect("trainingassetcandidate"),
        HideErased("trainingassetcandidate", scopes=("account",), marked=True, clock="created_at"),
        # --- conversations, and the events that are written of them -----------------------------------------
        migrations.CreateModel(
            name="Session",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "group",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.PROTECT, related_name="+", to="accounts.chatgroup"
                    ),
                ),
                (
                    "thread",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.SET_NULL, related_name="+", to="memory.thread"
                    ),
                ),
                ("title", models.CharField(blank=True, max_length=120)),
                ("remember", models.BooleanField(default=True)),
                ("time_zone", models.CharField(blank=True, max_length=64, validators=[validate_time_zone])),
                ("location", models.CharField(blank=True, max_length=120)),
                ("entity_slots", models.JSONField(blank=True, default=dict)),
                ("summary_blocks", models.JSONField(blank=True, default=list)),
                ("external_ref", models.CharField(blank=True, max_length=200)),
                ("brought_by", models.UUIDField(blank=True, null=True)),
                ("last_seq", models.PositiveIntegerField(default=0)),
                ("summarized_seq", models.PositiveIntegerField(default=0)),
                ("ended_seq", models.PositiveIntegerField(db_default=0, default=0)),
                ("turn_started_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("last_active_at", models.DateTimeField(default=timezone.now)),
                ("expires_at", models.DateTimeField()),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name": "conversation",
                "ordering": ("-last_active_at",),
                "indexes": [
                    models.Index(fields=["user", "-last_active_at"], name="my_sessions"),
                    models.Index(
                        condition=models.Q(group__isnull=False),
                        fields=["group", "-last_active_at"],
                        name="group_sessions",
                    ),
                    models.Index(
                        condition=models.Q(group=None, last_seq__gt=models.F("ended_seq"), remember=True),
                        fields=["last_active_at"],
                        name="sessions_to_write_up",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=~models.Q(external_ref=""),
                        fields=("user", "external_ref"),
                        name="one_session_per_import",
                    )
                ],
            },
        ),
        Protect(
            "session",
            shape="members",
            members_update=(
                "title",
                "entity_slots",
                "last_seq",
                "last_active_at",
                "turn_started_at",
                "archived_at",
                "summary_blocks",
                "summarized_seq",
                "ended_seq",
            ),
        ),
        HideErased("session", scopes=("account",), marked=True, clock="created_at"),
        migrations.RunSQL(_HAND_OVER, "DROP POLICY eraser_hands_over ON memory_session"),
        migrations.RunSQL(_SEES, "DROP POLICY eraser_sees_handed_over ON memory_session"),
        migrations.CreateModel(
            name="ConversationEvent",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("session", models.ForeignKey(on_delete=models.PROTECT, related_name="events", to="memory.session")),
                ("user", models.ForeignKey(on_delete=models.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "group",
                    models.ForeignKey(null=True, on_delete=models.PROTECT, related_name="+", to="accounts.chatgroup"),
                ),
                ("seq", models.PositiveIntegerField()),
                ("role", models.CharField(choices=[("user", "Person"), ("assistant", "Assistant")], max_length=10)),
                ("speaker", models.CharField(max_length=60)),
                ("content", models.JSONField()),
                ("content_schema_version", models.PositiveSmallIntegerField(default=1)),
                ("external_ref", models.CharField(blank=True, max_length=80)),
                ("learnable", models.BooleanField()),
                ("consent_version", models.PositiveIntegerField()),
                ("occurred_at", models.DateTimeField()),
                ("redacted_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "message",
                "ordering": ("session_id", "seq"),
                "indexes": [
                    models.Index(fields=["user", "-created_at"], name="my_messages"),
                    models.Index(
                        condition=models.Q(group__isnull=False), fields=["group", "-created_at"], name="group_messages"
                    ),
                ],
                "constraints": [models.UniqueConstraint(fields=("session", "seq"), name="one_message_per_seq")],
            },
        ),
        Protect("conversationevent", shape="members", append_only=True),
        HideErased("conversationevent", scopes=("account", "sources"), marked=True, clock="created_at"),
        migrations.CreateModel(
            name="CognitiveJob",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("session", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="memory.session")),
                (
                    "group",
                    models.ForeignKey(null=True, on_delete=models.PROTECT, related_name="+", to="accounts.chatgroup"),
                ),
                ("request_id", models.CharField(max_length=80)),
                ("end_seq", models.PositiveIntegerField(default=1)),
                ("action_summary", models.TextField(blank=True)),
                ("new_info", models.TextField(blank=True)),
                ("occurred_at", models.DateTimeField()),
                ("time_zone", models.CharField(max_length=64)),
                ("location", models.CharField(blank=True, max_length=120)),
                ("sender_name", models.CharField(max_length=60)),
                ("message_ids", ArrayField(base_field=models.UUIDField(), blank=True, default=list, size=None)),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "request_id", "end_seq"), name="one_job_per_end")
                ],
            },
        ),
        Protect("cognitivejob"),
        HideErased("cognitivejob", scopes=_LEARNED, marked=True, clock="created_at"),
        migrations.CreateModel(
            name="CognitiveEvent",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("event_id", models.CharField(max_length=100)),
                ("perspective", models.CharField(choices=[("sender", "Person"), ("group", "Group")], max_length=10)),
                ("part", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "group",
                    models.ForeignKey(null=True, on_delete=models.PROTECT, related_name="+", to="accounts.chatgroup"),
                ),
                ("session", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="memory.session")),
                ("request_id", models.CharField(max_length=80)),
                ("end_seq", models.PositiveIntegerField()),
                ("canonical_text", models.TextField()),
                ("did_what", models.TextField(blank=True)),
                ("new_info", models.TextField(blank=True)),
                ("timestamp_utc", models.DateTimeField()),
                ("timestamp_local", models.CharField(max_length=40)),
                ("timezone", models.CharField(max_length=64)),
                ("speaks_of_start", models.DateTimeField(blank=True, null=True)),
                ("speaks_of_end", models.DateTimeField(blank=True, null=True)),
                ("location_abs", models.CharField(blank=True, max_length=120)),
                ("request_type", models.CharField(choices=[("group", "Group"), ("private", "Private")], max_length=10)),
                ("sender", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("message_ids", ArrayField(base_field=models.UUIDField(), blank=True, default=list, size=None)),
                ("sources", models.JSONField(blank=True, db_default=[], default=list)),
                ("has_new_info", models.BooleanField()),
                ("schema_version", models.CharField(default="final_v1", max_length=20)),
                ("unresolved", models.JSONField(blank=True, default=list)),
                ("rewritten_by", models.CharField(max_length=80)),
                ("consent_version", models.PositiveIntegerField()),
                (
                    "rewriting",
                    models.CharField(
                        blank=True,
                        choices=[("", "None"), ("waits", "Waits"), ("kept", "Kept as it was")],
                        db_default="",
                        default="",
                        max_length=5,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "event",
                "ordering": ("-timestamp_utc",),
                "indexes": [
                    models.Index(fields=["user", "-timestamp_utc"], name="my_events"),
                    models.Index(
                        condition=models.Q(group__isnull=False), fields=["group", "-timestamp_utc"], name="group_events"
                    ),
                    models.Index(
                        condition=models.Q(rewriting="waits"), fields=["user", "id"], name="events_to_be_rewritten"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "event_id", "perspective", "part"), name="one_part_per_event_and_perspective"
                    )
                ],
            },
        ),
        Protect("cognitiveevent", shape="members"),
        HideErased("cognitiveevent", scopes=_LEARNED, marked=True, clock="created_at"),
        migrations.CreateModel(
            name="ChatImport",
            fields=[
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Waiting"),
                            ("checking", "Being checked"),
                            ("storing", "Being brought in"),
                            ("done", "Brought in"),
                            ("refused", "Refused"),
                            ("failed", "Failed"),
                            ("undone", "Undone"),
                        ],
                        default="pending",
                        max_length=8,
                    ),
                ),
                ("assistant", models.CharField(blank=True, max_length=10)),
                ("origin", models.CharField(max_length=10)),
                ("size", models.PositiveBigIntegerField()),
                ("conversations", models.PositiveIntegerField(default=0)),
                ("messages", models.PositiveIntegerField(default=0)),
                ("read", models.PositiveIntegerField(default=0)),
                ("recorded", models.PositiveIntegerField(default=0)),
                ("known", models.PositiveIntegerField(default=0)),
                ("left_out", models.PositiveIntegerField(default=0)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name": "import",
                "ordering": ("-created_at",),
                "indexes": [models.Index(fields=["user", "-created_at"], name="my_imports")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(state__in=["pending", "checking", "storing"]),
                        fields=("user",),
                        name="one_import_at_a_time",
                    )
                ],
            },
        ),
        Protect("chatimport"),
        # --- memories: versions, changes, and what could become an organisation's knowledge -----------------
        migrations.RunSQL(_RANGE, "DROP TYPE uuidrange"),
        migrations.CreateModel(
            name="MemoryItem",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "group",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=models.PROTECT, related_name="+", to="accounts.chatgroup"
                    ),
                ),
                ("tenant_id", models.UUIDField(blank=True, null=True)),
                ("chain_id", models.UUIDField(default=new_id, editable=False)),
                (
                    "scope",
                    models.CharField(
                        choices=[("session", "One conversation"), ("personal", "Personal")],
                        default="personal",
                        max_length=10,
                    ),
                ),
                (
                    "memory_type",
                    models.CharField(
                        choices=[
                            ("observation", "Observation"),
                            ("preference", "Preference"),
                            ("pattern", "Habit"),
                            ("insight", "Insight"),
                            ("summary", "Summary"),
                            ("persona_preference", "How I should speak"),
                            ("agent_experience", "Experience"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "epistemic_type",
                    models.CharField(
                        choices=[
                            ("fact", "Fact"),
                            ("opinion", "Opinion"),
                            ("preference", "Preference"),
                            ("outdated", "Outdated"),
                        ],
                        default="preference",
                        max_length=12,
                    ),
                ),
                ("category", models.CharField(blank=True, max_length=60)),
                ("content", models.TextField()),
                ("content_hash", models.CharField(max_length=64)),
                ("attributes", models.JSONField(blank=True, default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("active", "In use"),
                            ("quarantined", "Not sure"),
                            ("superseded", "Replaced"),
                            ("invalid", "No longer true"),
                        ],
                        default="active",
                        max_length=12,
                    ),
                ),
                ("confidence", models.FloatField()),
                (
                    "provenance",
                    models.CharField(
                        choices=[
                            ("observation", "mentioned in passing"),
                            ("analysis", "seen several times"),
                            ("confirmed_by_user", "told or confirmed by you"),
                        ],
                        max_length=20,
                    ),
                ),
                ("provenance_detail", models.JSONField(blank=True, default=dict)),
                ("source_sessions", ArrayField(base_field=models.UUIDField(), blank=True, default=list, size=None)),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "superseded_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=models.SET_NULL,
                        related_name="supersedes",
                        to="memory.memoryitem",
                    ),
                ),
                ("valid_at", models.DateTimeField()),
                ("invalid_at", models.DateTimeField(blank=True, null=True)),
                ("superseded_at", models.DateTimeField(blank=True, null=True)),
                ("last_validated_at", models.DateTimeField()),
                ("injection_count", models.PositiveIntegerField(default=0)),
                ("positive_count", models.PositiveIntegerField(default=0)),
                ("correction_count", models.PositiveIntegerField(default=0)),
                ("miss_count", models.PositiveIntegerField(default=0)),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "memory",
                "verbose_name_plural": "memories",
                "ordering": ("-created_at",),
                "indexes": [
                    models.Index(
                        condition=models.Q(tombstone_id=None), fields=["user", "-created_at"], name="my_items"
                    ),
                    models.Index(fields=["user", "content_hash"], name="item_duplicates"),
                    models.Index(
                        condition=models.Q(provenance_detail__has_key="may_change", superseded_at=None),
                        fields=["user", "-created_at"],
                        name="items_in_conflict",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=(
                            models.Q(confidence__gte=0, confidence__lte=0.6, provenance="observation")
                            | models.Q(confidence__gte=0, confidence__lte=0.8, provenance="analysis")
                            | models.Q(confidence__gte=0, confidence__lte=1.0, provenance="confirmed_by_user")
                        ),
                        name="item_confidence_within_cap",
                    ),
                    models.CheckConstraint(condition=models.Q(version__gte=1), name="item_version_from_one"),
                    models.CheckConstraint(
                        condition=models.Q(invalid_at=None) | models.Q(invalid_at__gte=models.F("valid_at")),
                        name="item_validity_forward",
                    ),
                    models.CheckConstraint(
                        condition=(
                            ~models.Q(state__in=["superseded", "invalid"]) | models.Q(superseded_at__isnull=False)
                        ),
                        name="item_closed",
                    ),
                    models.UniqueConstraint(fields=("user", "chain_id", "version"), name="one_row_per_item_version"),
                    models.UniqueConstraint(
                        condition=models.Q(superseded_at=None),
                        fields=("user", "chain_id"),
                        name="one_open_version_per_chain",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(superseded_at=None, tombstone_id=None),
                        fields=("user", "group", "content_hash"),
                        name="one_open_item_of_the_same_words",
                        nulls_distinct=False,
                    ),
                    ExclusionConstraint(
                        condition=models.Q(version__gt=1) | models.Q(superseded_at__isnull=False),
                        expressions=[
                            (models.Func("chain_id", "chain_id", models.Value("[]"), function="uuidrange"), "&&"),
                            (models.Func("valid_at", "invalid_at", function="tstzrange"), "&&"),
                        ],
                        name="one_version_true_at_a_time",
                    ),
                ],
            },
        ),
        Protect("memoryitem"),
        HideErased("memoryitem", scopes=_LEARNED, marked=True, clock="created_at"),
        migrations.CreateModel(
            name="EvolutionEvent",
            fields=[
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("item", models.ForeignKey(on_delete=models.CASCADE, related_name="changes", to="memory.memoryitem")),
                ("chain_id", models.UUIDField()),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("added", "Learned"),
                            ("superseded", "Replaced by a newer statement"),
                            ("retired", "Found no longer true"),
                            ("confirmed", "Confirmed"),
                            ("corrected", "Corrected"),
                            ("quarantined", "Set aside until you decide"),
                            ("accepted", "Accepted"),
                            ("rejected", "Rejected"),
                            ("merged", "Merged with what says the same"),
                            ("resolved", "A contradiction was settled"),
                            ("calibrated", "Became more or less sure"),
                            ("fused", "Held back after it was called wrong"),
                            ("outdated", "Marked as out of date"),
                            ("undone", "A change was undone"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "actor",
                    models.CharField(
                        choices=[
                            ("person", "you"),
                            ("pipeline", "learning from conversation"),
                            ("governor", "regular upkeep"),
                        ],
                        max_length=10,
                    ),
                ),
                ("rule", models.CharField(blank=True, max_length=80)),
                ("inputs", models.JSONField(blank=True, default=dict)),
                ("before", models.JSONField(blank=True, default=dict)),
                ("after", models.JSONField(blank=True, default=dict)),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "change of a memory",
                "verbose_name_plural": "changes of memories",
                "ordering": ("created_at", "id"),
                "indexes": [
                    models.Index(fields=["user", "chain_id", "created_at"], name="changes_of_a_chain"),
                    models.Index(fields=["user", "-created_at"], name="my_changes"),
                    models.Index(condition=models.Q(action="fused"), fields=["created_at"], name="fuses_by_time"),
                ],
            },
        ),
        Protect("evolutionevent"),
        HideErased("evolutionevent", scopes=_LEARNED, clock="created_at"),
        migrations.CreateModel(
            name="EvolutionProposal",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("item", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="memory.memoryitem")),
                ("chain_id", models.UUIDField()),
                ("tenant_id", models.UUIDField()),
                ("text", models.TextField()),
                ("statistics", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("candidate", "Waits for its person"),
                            ("agreed", "Waits for an operator"),
                            ("declined", "Declined by its person"),
                            ("approved", "Became knowledge"),
                            ("rejected", "Turned down by an operator"),
                            ("withdrawn", "Taken back"),
                        ],
                        default="candidate",
                        max_length=10,
                    ),
                ),
                ("agreed_at", models.DateTimeField(blank=True, null=True)),
                ("reviewed_at", models.DateTimeField(blank=True, null=True)),
                ("reviewed_by", models.UUIDField(blank=True, null=True)),
                ("knowledge_id", models.UUIDField(blank=True, null=True)),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "proposal",
                "ordering": ("-created_at",),
                "indexes": [
                    models.Index(fields=["user", "-created_at"], name="my_proposals"),
                    models.Index(condition=models.Q(state="agreed"), fields=["-agreed_at"], name="proposals_to_review"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "chain_id"), name="one_proposal_per_chain"),
                    models.CheckConstraint(
                        condition=~models.Q(state="approved") | models.Q(agreed_at__isnull=False),
                        name="nothing_approved_unagreed",
                    ),
                ],
            },
        ),
        Protect("evolutionproposal"),
        HideErased("evolutionproposal", scopes=_LEARNED, marked=True, clock="created_at"),
        migrations.CreateModel(
            name="AgentExperience",
            fields=[
                ("id", _key()),
                ("tenant", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="accounts.tenant")),
                ("intent_type", models.CharField(max_length=20)),
                ("subject", models.CharField(max_length=20)),
                ("pattern", models.CharField(max_length=200)),
                ("statistics", models.JSONField(default=dict)),
                ("confidence", models.FloatField()),
                ("created_at", models.DateTimeField(default=timezone.now)),
                ("updated_at", models.DateTimeField(default=timezone.now)),
            ],
            options={
                "verbose_name": "agent experience",
                "verbose_name_plural": "agent experience",
                "ordering": ("intent_type", "subject"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "intent_type", "subject"), name="one_experience_of_a_kind"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(confidence__gte=0, confidence__lte=1),
                        name="experience_confidence_is_a_share",
                    ),
                ],
            },
        ),
        # Counted over everybody's receipts, so written by nobody in particular; it holds no word of anybody's.
        ProtectTenant("agentexperience", written_by=WORKER_ROLE),
        # --- search -----------------------------------------------------------------------------------------
        migrations.RunSQL(_BLOOM, "DROP FUNCTION memory_bloom"),
        migrations.CreateModel(
            name="SearchEntry",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[("turn", "Message"), ("event", "Event"), ("item", "Memory"), ("profile", "Portrait")],
                        max_length=8,
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False, on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        db_index=False, null=True, on_delete=models.CASCADE, related_name="+", to="accounts.chatgroup"
                    ),
                ),
                ("session_id", models.UUIDField(null=True)),
                ("occurred_at", models.DateTimeField()),
                ("live", models.BooleanField(default=True)),
                ("terms", SearchVectorField()),
                ("vector", HalfVectorField(null=True)),
                ("model_id", models.CharField(blank=True, max_length=80)),
                (
                    "length",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Func("terms", function="length"),
                        output_field=models.IntegerField(),
                    ),
                ),
                (
                    "bloom",
                    models.GeneratedField(
                        db_persist=True,
                        expression=models.Func("terms", function="memory_bloom"),
                        output_field=BitString(),
                    ),
                ),
                ("quantized", BitString(null=True)),
                ("to_be_read", models.BooleanField(db_default=False, default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "search entry",
                "verbose_name_plural": "search entries",
                "indexes": [
                    models.Index(fields=["user", "kind"], include=("group", *_FIRST_LOOK), name="first_look_at_own"),
                    models.Index(
                        condition=models.Q(group__isnull=False),
                        fields=["group", "kind"],
                        include=("user", *_FIRST_LOOK),
                        name="first_look_in_group",
                    ),
                    models.Index(fields=["model_id"], name="entries_by_model"),
                    models.Index(
                        condition=models.Q(kind="turn", to_be_read=True),
                        fields=["user", "id"],
                        name="messages_to_be_read",
                    ),
                ],
            },
        ),
        # A neighbour's entry is rebuilt when a turn arrives beside it.
        Protect(
            "searchentry",
            shape="members",
            members_update=("terms", "vector", "model_id", "live", "occurred_at", "quantized", "to_be_read"),
        ),
        HideErased("searchentry", scopes=_LEARNED, marked=True, clock="created_at"),
        migrations.RunSQL(_STORAGE, migrations.RunSQL.noop),
        migrations.RunSQL(_VACUUM, _UNDO_VACUUM),
        # --- receipts, and release reports, which are added and never changed -------------------------------
        migrations.CreateModel(
            name="Receipt",
            fields=[
                ("id", _key()),
                (
                    "kind",
                    models.CharField(choices=[("retrieval", "Retrieval"), ("injection", "Injection")], max_length=10),
                ),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("session", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to="memory.session")),
                ("message_id", models.UUIDField()),
                ("intent_type", models.CharField(blank=True, max_length=20)),
                ("strategy", models.CharField(blank=True, max_length=12)),
                ("policy_version", models.CharField(max_length=20)),
                ("details_schema_version", models.PositiveSmallIntegerField(default=3)),
                ("latency_ms", models.FloatField(blank=True, null=True)),
                ("stores_used", ArrayField(base_field=models.CharField(max_length=20), default=list, size=None)),
                ("degraded", ArrayField(base_field=models.CharField(max_length=40), default=list, size=None)),
                ("budget", models.JSONField(default=dict)),
                ("budget_exceeded", models.BooleanField(default=False)),
                ("context_hash", models.CharField(blank=True, max_length=64)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("consent_version", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "receipt",
                "ordering": ("-created_at",),
                "indexes": [
                    models.Index(fields=["user", "-created_at"], name="my_receipts"),
                    BrinIndex(fields=["created_at"], name="receipts_by_time"),
                    models.Index(
                        condition=models.Q(closed_at=None, kind="injection"),
                        fields=["created_at"],
                        name="open_injections",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("message_id", "kind"), name="one_receipt_of_a_kind_per_turn")
                ],
            },
        ),
        Protect("receipt"),
        HideErased("receipt", scopes=("account",), clock="created_at"),
        migrations.CreateModel(
            name="ReceiptLine",
            fields=[
                ("id", _key()),
                ("receipt", models.ForeignKey(on_delete=models.CASCADE, related_name="lines", to="memory.receipt")),
                (
                    "user",
                    models.ForeignKey(
                        db_constraint=False, on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("kind", models.CharField(max_length=10)),
                ("ref_id", models.UUIDField()),
                ("rank", models.PositiveSmallIntegerField()),
                ("status", models.CharField(choices=[("accepted", "Used"), ("rejected", "Left out")], max_length=10)),
                (
                    "decision_reason",
                    models.CharField(
                        choices=[
                            ("relevance", "fits what was asked"),
                            ("recency", "recent"),
                            ("confidence", "you told me so"),
                            ("budget_exceeded", "no room"),
                            ("blocked", "blocked for safety"),
                            ("stated", "you set it yourself"),
                            ("outdated", "out of date"),
                            ("conflict", "your organisation's knowledge says otherwise"),
                            ("superseded", "no longer holds"),
                            ("duplicate", "a memory says it already"),
                            ("standing", "stands in every answer"),
                            ("looked_up", "looked up for this answer"),
                        ],
                        max_length=20,
                    ),
                ),
                ("candidate_score", models.FloatField()),
                ("signals", models.JSONField(default=dict)),
                ("guardrail_hit", models.CharField(blank=True, max_length=40)),
                ("context_position", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("sanitization_result", models.CharField(blank=True, max_length=10)),
                ("utilized", models.BooleanField(blank=True, null=True)),
                ("utilization_signal", models.CharField(blank=True, max_length=20)),
                ("user_feedback_signal", models.CharField(blank=True, max_length=20)),
            ],
            options={
                "ordering": ("rank",),
                "indexes": [
                    models.Index(fields=["user", "ref_id"], name="uses_of_a_memory"),
                    models.Index(fields=["receipt", "rank"], name="lines_in_order"),
                ],
            },
        ),
        Protect("receiptline"),
        HideErased("receiptline", scopes=("account",)),
        migrations.CreateModel(
            name="AcceptanceReport",
            fields=[
                ("id", _key()),
                ("release", models.CharField(max_length=80)),
                (
                    "verdict",
                    models.CharField(
                        choices=[("pass", "Pass"), ("observe", "Observe"), ("fail", "Fail")], max_length=8
                    ),
                ),
                ("rows", models.JSONField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "release report",
                "ordering": ("-created_at", "-id"),
                "indexes": [models.Index(fields=["-created_at"], name="latest_reports")],
            },
        ),
        migrations.RunSQL(
            f"REVOKE UPDATE, DELETE ON memory_acceptancereport FROM {_WRITERS}",
            f"GRANT UPDATE, DELETE ON memory_acceptancereport TO {_WRITERS}",
        ),
        # --- portraits of people and groups -----------------------------------------------------------------
        migrations.CreateModel(
            name="EntityProfile",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", _key()),
                *_portrait(),
                ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
                (
                    "group",
                    models.ForeignKey(null=True, on_delete=models.PROTECT, related_name="+", to="accounts.chatgroup"),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "verbose_name": "portrait",
                "indexes": [
                    models.Index(condition=models.Q(group__isnull=False), fields=["group"], name="portraits_of_group")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(tombstone_id=None),
                        fields=("user", "entity_type", "group"),
                        name="one_portrait_per_entity",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        Protect("entityprofile", shape="members"),
        HideErased("entityprofile", scopes=_LEARNED, marked=True, clock="created_at"),
        migrations.CreateModel(
            name="HistoricalEntityProfile",
            fields=[
                ("tombstone_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("id", models.UUIDField(db_index=True, default=new_id, editable=False)),
                *_portrait(),
                ("created_at", models.DateTimeField(blank=True, editable=False)),
                ("updated_at", models.DateTimeField(blank=True, editable=False)),
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
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="accounts.chatgroup",
                    ),
                ),
                *_revision(),
            ],
            options={
                "verbose_name": "historical portrait",
                "verbose_name_plural": "historical portraits",
                "ordering": ("-history_date", "-history_id"),
                "get_latest_by": ("history_date", "history_id"),
            },
            bases=(HistoricalChanges, models.Model),
        ),
        Protect("historicalentityprofile"),
        HideErased("historicalentityprofile", scopes=_LEARNED, marked=True, clock="created_at"),
    ]
