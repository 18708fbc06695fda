"""Memories that could become an organisation's knowledge, and what its assistant found out about its own work."""

import django.db.models.deletion
import django.utils.timezone
import foundation.ids
from django.conf import settings
from django.db import migrations, models

from foundation.database.policies import HideErased, Protect, ProtectTenant
from foundation.database.roles import WORKER_ROLE


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0003_browsersession"),
        ("memory", "0009_acceptance_reports"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="receipt",
            name="intent_type",
            field=models.CharField(blank=True, max_length=20, default=""),
            preserve_default=False,
        ),
        migrations.CreateModel(
            name='AgentExperience',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('intent_type', models.CharField(max_length=20)),
                ('subject', models.CharField(max_length=20)),
                ('pattern', models.CharField(max_length=200)),
                ('statistics', models.JSONField(default=dict)),
                ('confidence', models.FloatField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.tenant')),
            ],
            options={
                'verbose_name': 'agent experience',
                'verbose_name_plural': 'agent experience',
                'ordering': ('intent_type', 'subject'),
                'constraints': [models.UniqueConstraint(fields=('tenant', 'intent_type', 'subject'), name='one_experience_of_a_kind'), models.CheckConstraint(condition=models.Q(('confidence__gte', 0), ('confidence__lte', 1)), name='experience_confidence_is_a_share')],
            },
        ),
        migrations.CreateModel(
            name='EvolutionProposal',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('chain_id', models.UUIDField()),
                ('tenant_id', models.UUIDField()),
                ('text', models.TextField()),
                ('statistics', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('candidate', 'Waits for its person'), ('agreed', 'Waits for an operator'), ('declined', 'Declined by its person'), ('approved', 'Became knowledge'), ('rejected', 'Turned down by an operator'), ('withdrawn', 'Taken back')], default='candidate', max_length=10)),
                ('agreed_at', models.DateTimeField(blank=True, null=True)),
                ('reviewed_at', models.DateTimeField(blank=True, null=True)),
                ('reviewed_by', models.UUIDField(blank=True, null=True)),
                ('knowledge_id', models.UUIDField(blank=True, null=True)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memory.memoryitem')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'proposal',
                'ordering': ('-created_at',),
                'indexes': [models.Index(fields=['user', '-created_at'], name='my_proposals'), models.Index(condition=models.Q(('state', 'agreed')), fields=['-agreed_at'], name='proposals_to_review')],
                'constraints': [models.UniqueConstraint(fields=('user', 'chain_id'), name='one_proposal_per_chain'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'approved'), _negated=True), ('agreed_at__isnull', False), _connector='OR'), name='nothing_approved_unagreed')],
            },
        ),
        Protect("evolutionproposal"),
        HideErased("evolutionproposal", scopes=("account", "memories"), marked=True, clock="created_at"),
        # Counted over everybody's receipts, so written by nobody in particular; it holds no word of anybody's.
        ProtectTenant("agentexperience", written_by=WORKER_ROLE),
    ]
