"""Switches that turn a capability off, which every role reads and operators write."""


import django.db.models.deletion
import foundation.ids
from django.db import migrations, models

from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE, WORKER_ROLE
from foundation.database.urls import APP_ROLE

_READ_BY_ALL = f"""
    REVOKE INSERT, UPDATE, DELETE ON consent_killswitch FROM {APP_ROLE}, {ERASER_ROLE}, {WORKER_ROLE};
    REVOKE DELETE ON consent_killswitch FROM {OPERATOR_ROLE};
"""


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_user_language'),
        ('consent', '0010_erasure_requests'),
    ]

    operations = [
        migrations.CreateModel(
            name='KillSwitch',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('capability', models.CharField(choices=[('personalization', 'Personalization'), ('learning', 'Learning'), ('research', 'Research')], max_length=15, verbose_name='what is off')),
                ('reason', models.CharField(max_length=200, verbose_name='reason')),
                ('thrown_by', models.UUIDField()),
                ('thrown_at', models.DateTimeField()),
                ('lifted_by', models.UUIDField(blank=True, null=True)),
                ('lifted_at', models.DateTimeField(blank=True, null=True)),
                ('tenant', models.ForeignKey(blank=True, help_text='Empty: for everybody.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.tenant', verbose_name='organisation')),
            ],
            options={
                'verbose_name': 'kill switch',
                'verbose_name_plural': 'kill switches',
                'ordering': ('-thrown_at',),
                'constraints': [models.UniqueConstraint(condition=models.Q(('lifted_at', None)), fields=('capability', 'tenant'), name='one_standing_kill_switch', nulls_distinct=False)],
            },
        ),
        migrations.RunSQL(_READ_BY_ALL, migrations.RunSQL.noop),
    ]
