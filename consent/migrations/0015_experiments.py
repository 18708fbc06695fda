"""Experiments, which every role reads and operators write."""

import django.core.validators
import foundation.ids
from django.db import migrations, models

from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE, WORKER_ROLE
from foundation.database.urls import APP_ROLE

_READ_BY_ALL = f"""
    REVOKE INSERT, UPDATE, DELETE ON consent_experiment FROM {APP_ROLE}, {ERASER_ROLE}, {WORKER_ROLE};
    REVOKE DELETE ON consent_experiment FROM {OPERATOR_ROLE};
"""


class Migration(migrations.Migration):

    dependencies = [
        ('consent', '0014_consent_evidence'),
    ]

    operations = [
        migrations.CreateModel(
            name='Experiment',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=60, unique=True, verbose_name='name')),
                ('purpose', models.CharField(max_length=200, verbose_name='purpose')),
                ('dimension', models.CharField(choices=[('brain_routing', 'How a message is routed, and what enters the prompt'), ('prompt_version', 'In which words the model is instructed')], max_length=20, verbose_name='what varies')),
                ('layer', models.CharField(max_length=30, validators=[django.core.validators.RegexValidator('^[a-z][a-z0-9_]*\\Z')], verbose_name='layer')),
                ('layer_start', models.PositiveSmallIntegerField(default=0, verbose_name='from, in per cent of the layer')),
                ('layer_end', models.PositiveSmallIntegerField(default=100, verbose_name='to, in per cent of the layer')),
                ('variants', models.JSONField(verbose_name='variants')),
                ('floor', models.FloatField(default=0.55, validators=[django.core.validators.MinValueValidator(0.0), django.core.validators.MaxValueValidator(1.0)], verbose_name='least injection quality')),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('running', 'Running'), ('stopped', 'Stopped'), ('rolled_back', 'Rolled back by itself')], default='draft', max_length=12, verbose_name='state')),
                ('share', models.PositiveSmallIntegerField(choices=[(0, '0 %'), (1, '1 %'), (10, '10 %'), (50, '50 %'), (100, '100 %')], default=0, verbose_name='share of users')),
                ('created_by', models.UUIDField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('grown_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('ended_by', models.UUIDField(blank=True, null=True)),
            ],
            options={
                'verbose_name': 'experiment',
                'verbose_name_plural': 'experiments',
                'ordering': ('-created_at',),
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('layer_end__lte', 100), ('layer_start__lt', models.F('layer_end'))), name='experiment_within_its_layer', violation_error_message='An experiment owns a part of its layer, from 0 to 100 per cent.'),
                    models.CheckConstraint(condition=models.Q(('share__in', (0, 1, 10, 50, 100))), name='experiment_grows_by_steps'),
                    models.CheckConstraint(condition=models.Q(models.Q(('share', 0), ('started_at', None), ('state', 'draft')), models.Q(('ended_at', None), ('share__gt', 0), ('started_at__isnull', False), ('state', 'running')), models.Q(models.Q(('state', 'stopped'), ('state', 'rolled_back'), _connector='OR'), ('ended_at__isnull', False)), _connector='OR'), name='experiment_state_is_whole'),
                    models.CheckConstraint(condition=models.Q(('floor__gte', 0), ('floor__lte', 1)), name='experiment_floor_is_a_share'),
                ],
            },
        ),
        migrations.RunSQL(_READ_BY_ALL, migrations.RunSQL.noop),
    ]
