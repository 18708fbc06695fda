"""Feedback, and the drift log that nobody changes."""

import django.db.models.deletion
import foundation.ids
from django.conf import settings
from django.db import migrations, models

from foundation.database.policies import HideErased, Protect


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('consent', '0001_squashed_0009_chat_imports'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='DriftSignal',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('drift_id', models.CharField(max_length=48)),
                ('object_ref', models.CharField(max_length=120)),
                ('cognition_object', models.JSONField(blank=True, default=dict)),
                ('signal_kind', models.CharField(choices=[('grade_reversal', 'A rating turned round'), ('feedback_conflict', 'Comments contradict each other'), ('refresh_stance_flip', 'A refresh turned the thesis round'), ('watch_question_resolved_then_reopened', 'A resolved question was reopened')], max_length=40)),
                ('prior_signal', models.JSONField()),
                ('current_signal', models.JSONField()),
                ('delta_summary', models.TextField()),
                ('triggers_alert', models.BooleanField()),
                ('schema_version', models.CharField(default='1.0', max_length=5)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'drift signal',
                'ordering': ('-created_at',),
                'indexes': [models.Index(fields=['user', '-created_at'], name='drift_of'), models.Index(fields=['-created_at'], name='drift_lately')],
                'constraints': [models.UniqueConstraint(fields=('user', 'drift_id'), name='one_drift_signal_per_id')],
            },
        ),
        migrations.CreateModel(
            name='Feedback',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('object_ref', models.CharField(max_length=120)),
                ('object_kind', models.CharField(blank=True, max_length=10)),
                ('object_name', models.CharField(blank=True, max_length=200)),
                ('rating', models.CharField(choices=[('thumbs_up', 'Thumbs up'), ('thumbs_down', 'Thumbs down'), ('helpful', 'Helpful'), ('not_helpful', 'Not helpful'), ('agree', 'Agree'), ('disagree', 'Disagree')], max_length=11)),
                ('comment', models.CharField(blank=True, max_length=1000)),
                ('keywords', models.JSONField(blank=True, default=list)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'feedback',
                'verbose_name_plural': 'feedback',
                'ordering': ('-created_at',),
                'indexes': [models.Index(fields=['user', 'object_ref', '-created_at'], name='feedback_on_object'), models.Index(condition=models.Q(('object_name', ''), _negated=True), fields=['user', 'object_kind', 'object_name', '-created_at'], name='feedback_on_cognition_object')],
            },
        ),
        Protect("feedback"),
        Protect("driftsignal", append_only=True),
        HideErased("feedback", scopes=("account",), marked=True, clock="created_at"),
        HideErased("driftsignal", scopes=("account", "profile"), marked=True, clock="created_at"),
    ]
