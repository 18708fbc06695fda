"""Research objects with their contexts, and candidates for training."""

import django.db.models.deletion
import foundation.ids
from django.conf import settings
from django.db import migrations, models

from foundation.database.policies import HideErased, Protect

_OWNED = (
    "researchtask",
    "taskcontext",
    "thread",
    "threadcontext",
    "snapshot",
    "refresh",
    "watchquestion",
    "checkpoint",
    "trainingassetcandidate",
)
_COPYING = {"taskcontext": ("account", "profile")}  # of the profile what a task ran with


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0015_why_it_stood_there'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ResearchTask',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('route', models.CharField(choices=[('snapshot', 'Snapshot'), ('thread_refresh', 'Refresh a thread'), ('risk_challenge', 'Challenge the risks'), ('pre_execution', 'Check before acting'), ('evidence_audit', 'Audit the evidence'), ('narrative_mapper', 'Map the narratives'), ('event_impact_reader', "Read an event's impact")], max_length=20)),
                ('prompt', models.TextField()),
                ('overrides', models.JSONField(blank=True, default=dict)),
                ('as_of', models.DateTimeField(blank=True, null=True)),
                ('state', models.CharField(choices=[('pending', 'Waiting'), ('running', 'Running'), ('completed', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='pending', max_length=9)),
                ('progress', models.PositiveSmallIntegerField(default=0)),
                ('step', models.CharField(blank=True, max_length=40)),
                ('partial', models.JSONField(blank=True, default=list)),
                ('cancel_requested_at', models.DateTimeField(blank=True, null=True)),
                ('erasures', models.PositiveIntegerField(default=0)),
                ('context', models.JSONField(blank=True, default=dict)),
                ('advisors', models.JSONField(blank=True, default=list)),
                ('lookahead_warnings', models.JSONField(blank=True, default=list)),
                ('degraded', models.JSONField(blank=True, default=list)),
                ('tip', models.BooleanField(default=False)),
                ('result_kind', models.CharField(blank=True, choices=[('snapshot', 'Snapshot'), ('refresh', 'Refresh'), ('checkpoint', 'Checkpoint'), ('report', 'Report')], max_length=10)),
                ('result_id', models.UUIDField(blank=True, null=True)),
                ('report', models.JSONField(blank=True, default=dict)),
                ('model_id', models.CharField(blank=True, max_length=120)),
                ('error_code', models.CharField(blank=True, max_length=40)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'task',
                'ordering': ('-created_at',),
            },
        ),
        migrations.CreateModel(
            name='TaskContext',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('language_preference', models.CharField(blank=True, choices=[('en', 'English'), ('zh', '中文')], max_length=2, verbose_name='language')),
                ('research_depth', models.CharField(blank=True, choices=[('quick', 'Quick'), ('standard', 'Standard'), ('deep', 'Deep')], max_length=10, verbose_name='research depth')),
                ('risk_prompt_preference', models.CharField(blank=True, choices=[('balanced', 'Balanced'), ('counter_first', 'Counter-arguments first'), ('risk_first', 'Risks first')], max_length=15, verbose_name='how to speak of risk')),
                ('user_focus_reason', models.CharField(blank=True, max_length=500, verbose_name='what you care about')),
                ('research_style', models.CharField(blank=True, max_length=500, verbose_name='research style')),
                ('user_stated_position_context', models.CharField(blank=True, max_length=500, verbose_name='positions')),
                ('time_horizon', models.CharField(blank=True, max_length=200, verbose_name='time horizon')),
                ('constraints', models.CharField(blank=True, max_length=500, verbose_name='constraints')),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('expires_at', models.DateTimeField()),
                ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='context_used', to='memory.researchtask')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Thread',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('title', models.CharField(max_length=200)),
                ('object_kind', models.CharField(choices=[('asset', 'Asset'), ('theme', 'Theme'), ('event', 'Event')], max_length=5)),
                ('object_name', models.CharField(max_length=200)),
                ('current_thesis', models.TextField()),
                ('refresh_conditions', models.JSONField(blank=True, default=list)),
                ('state', models.CharField(choices=[('open', 'Open'), ('closed', 'Closed')], default='open', max_length=6)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'thread',
                'ordering': ('-updated_at',),
            },
        ),
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('model_id', models.CharField(max_length=120)),
                ('as_of', models.DateTimeField(blank=True, null=True)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('object_kind', models.CharField(choices=[('asset', 'Asset'), ('theme', 'Theme'), ('event', 'Event')], max_length=5)),
                ('object_name', models.CharField(max_length=200)),
                ('main_thesis', models.TextField()),
                ('thesis_sources', models.JSONField(blank=True, default=list)),
                ('evidence', models.JSONField(blank=True, default=list)),
                ('counter_thesis', models.JSONField(blank=True, default=list)),
                ('invalidators', models.JSONField(blank=True, default=list)),
                ('told', models.JSONField(blank=True, default=list)),
                ('watch_questions', models.JSONField(blank=True, default=list)),
                ('data_quality_note', models.TextField(blank=True)),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='memory.researchtask')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('thread', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='memory.thread')),
            ],
            options={
                'verbose_name': 'snapshot',
                'ordering': ('-created_at',),
            },
        ),
        migrations.AddField(
            model_name='researchtask',
            name='thread',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tasks', to='memory.thread'),
        ),
        migrations.CreateModel(
            name='Refresh',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('model_id', models.CharField(max_length=120)),
                ('as_of', models.DateTimeField(blank=True, null=True)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('thesis_before', models.TextField()),
                ('change_summary', models.TextField()),
                ('changed_inferences', models.JSONField(blank=True, default=list)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='refreshes', to='memory.researchtask')),
                ('snapshot', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='refresh', to='memory.snapshot')),
                ('thread', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='refreshes', to='memory.thread')),
            ],
            options={
                'verbose_name': 'refresh',
                'ordering': ('-created_at',),
            },
        ),
        migrations.CreateModel(
            name='Checkpoint',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('model_id', models.CharField(max_length=120)),
                ('as_of', models.DateTimeField(blank=True, null=True)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('decision', models.TextField()),
                ('conditions', models.JSONField(blank=True, default=list)),
                ('risks', models.JSONField(blank=True, default=list)),
                ('invalidators', models.JSONField(blank=True, default=list)),
                ('told', models.JSONField(blank=True, default=list)),
                ('data_quality_note', models.TextField(blank=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='checkpoints', to='memory.researchtask')),
                ('thread', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='checkpoints', to='memory.thread')),
            ],
            options={
                'verbose_name': 'checkpoint',
                'ordering': ('-created_at',),
            },
        ),
        migrations.AddField(
            model_name='session',
            name='thread',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='memory.thread'),
        ),
        migrations.CreateModel(
            name='ThreadContext',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('language_preference', models.CharField(blank=True, choices=[('en', 'English'), ('zh', '中文')], max_length=2, verbose_name='language')),
                ('research_depth', models.CharField(blank=True, choices=[('quick', 'Quick'), ('standard', 'Standard'), ('deep', 'Deep')], max_length=10, verbose_name='research depth')),
                ('risk_prompt_preference', models.CharField(blank=True, choices=[('balanced', 'Balanced'), ('counter_first', 'Counter-arguments first'), ('risk_first', 'Risks first')], max_length=15, verbose_name='how to speak of risk')),
                ('user_focus_reason', models.CharField(blank=True, max_length=500, verbose_name='what you care about')),
                ('research_style', models.CharField(blank=True, max_length=500, verbose_name='research style')),
                ('user_stated_position_context', models.CharField(blank=True, max_length=500, verbose_name='positions')),
                ('time_horizon', models.CharField(blank=True, max_length=200, verbose_name='time horizon')),
                ('constraints', models.CharField(blank=True, max_length=500, verbose_name='constraints')),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('consent_blocked', models.BooleanField(default=False)),
                ('thread', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contexts', to='memory.thread')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('created_at',),
            },
        ),
        migrations.CreateModel(
            name='TrainingAssetCandidate',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('object_ref', models.CharField(max_length=60)),
                ('status', models.CharField(choices=[('pending', 'Waits for a review'), ('accepted', 'Accepted'), ('rejected', 'Turned down')], default='pending', max_length=8)),
                ('withdrawal_status', models.CharField(choices=[('none', 'Consent holds'), ('revoked', 'Consent taken back')], default='none', max_length=7)),
                ('reviewed_at', models.DateTimeField(blank=True, null=True)),
                ('reviewed_by', models.UUIDField(blank=True, null=True)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'training candidate',
                'ordering': ('-created_at',),
            },
        ),
        migrations.CreateModel(
            name='WatchQuestion',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('question', models.CharField(max_length=500)),
                ('state', models.CharField(choices=[('open', 'Open'), ('resolved', 'Resolved'), ('reopened', 'Reopened')], default='open', max_length=8)),
                ('resolved_at', models.DateTimeField(blank=True, null=True)),
                ('reopened_at', models.DateTimeField(blank=True, null=True)),
                ('updates', models.JSONField(blank=True, default=list)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('thread', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='watch_questions', to='memory.thread')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'watch question',
                'ordering': ('created_at',),
            },
        ),
        migrations.AddIndex(
            model_name='thread',
            index=models.Index(fields=['user', '-updated_at'], name='my_threads'),
        ),
        migrations.AddIndex(
            model_name='snapshot',
            index=models.Index(fields=['user', '-created_at'], name='my_snapshots'),
        ),
        migrations.AddIndex(
            model_name='snapshot',
            index=models.Index(condition=models.Q(('thread', None), _negated=True), fields=['thread', '-created_at'], name='snapshots_of_thread'),
        ),
        migrations.AddIndex(
            model_name='researchtask',
            index=models.Index(fields=['user', '-created_at'], name='my_tasks'),
        ),
        migrations.AddConstraint(
            model_name='researchtask',
            constraint=models.CheckConstraint(condition=models.Q(('progress__lte', 100)), name='task_progress_per_cent'),
        ),
        migrations.AddConstraint(
            model_name='researchtask',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ('pending', 'running')), ('ended_at__isnull', False), _connector='XOR'), name='over_means_ended'),
        ),
        migrations.AddIndex(
            model_name='refresh',
            index=models.Index(fields=['thread', '-created_at'], name='refreshes_of_thread'),
        ),
        migrations.AddIndex(
            model_name='checkpoint',
            index=models.Index(fields=['user', '-created_at'], name='my_checkpoints'),
        ),
        migrations.AddIndex(
            model_name='threadcontext',
            index=models.Index(fields=['thread', 'created_at'], name='contexts_of_thread'),
        ),
        migrations.AddConstraint(
            model_name='trainingassetcandidate',
            constraint=models.UniqueConstraint(fields=('user', 'object_ref'), name='one_candidate_per_object'),
        ),
        migrations.AddIndex(
            model_name='watchquestion',
            index=models.Index(fields=['thread', 'created_at'], name='questions_of_thread'),
        ),
        *(Protect(model) for model in _OWNED),
        *(
            HideErased(model, scopes=_COPYING.get(model, ("account",)), marked=True, clock="created_at")
            for model in _OWNED
        ),
    ]
