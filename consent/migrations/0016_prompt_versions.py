"""Versions of the prompt, which every role reads; operators add to them, and nobody changes one."""

import foundation.ids
from django.db import migrations, models

from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE, WORKER_ROLE
from foundation.database.urls import APP_ROLE

_WRITTEN_ONCE = f"""
    REVOKE INSERT, UPDATE, DELETE ON consent_promptversion FROM {APP_ROLE}, {ERASER_ROLE}, {WORKER_ROLE};
    REVOKE UPDATE, DELETE ON consent_promptversion FROM {OPERATOR_ROLE};
"""


class Migration(migrations.Migration):

    dependencies = [
        ('consent', '0015_experiments'),
    ]

    operations = [
        migrations.CreateModel(
            name='PromptVersion',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('number', models.PositiveIntegerField(unique=True, verbose_name='version')),
                ('guides', models.JSONField(verbose_name='guides')),
                ('note', models.CharField(max_length=200, verbose_name='what is different, and why')),
                ('based_on', models.CharField(max_length=20, verbose_name='written from version')),
                ('shipped', models.CharField(max_length=20, verbose_name='beside the shipped version')),
                ('created_by', models.UUIDField()),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='written at')),
            ],
            options={
                'verbose_name': 'version of the prompt',
                'verbose_name_plural': 'versions of the prompt',
                'ordering': ('-number',),
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('number__gte', 2)), name='prompt_version_is_no_shipped_one'),
                ],
            },
        ),
        migrations.RunSQL(_WRITTEN_ONCE, migrations.RunSQL.noop),
    ]
