"""Portraits of people and groups; an erased event's words leave them and every revision of theirs."""

import django.contrib.postgres.fields
import django.db.models.deletion
import foundation.ids
import simple_history.models
from django.conf import settings
from django.db import migrations, models

from foundation.database.policies import HideErased, Protect

_LEARNED = ("account", "memories")


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_browsersession'),
        ('memory', '0013_first_look'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='searchentry',
            name='kind',
            field=models.CharField(choices=[('turn', 'Message'), ('event', 'Event'), ('item', 'Memory'), ('profile', 'Portrait')], max_length=8),
        ),
        migrations.CreateModel(
            name='HistoricalEntityProfile',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(db_index=True, default=foundation.ids.new_id, editable=False)),
                ('entity_type', models.CharField(choices=[('user', 'Person'), ('group', 'Group')], max_length=5)),
                ('entity_id', models.UUIDField()),
                ('name', models.CharField(max_length=120)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), blank=True, default=list, size=None)),
                ('body', models.TextField(blank=True)),
                ('lines', models.JSONField(blank=True, default=list)),
                ('source_event_id', models.CharField(blank=True, max_length=100)),
                ('revision', models.PositiveIntegerField(default=1)),
                ('change', models.CharField(choices=[('learned', 'learned'), ('edited', 'edited by you'), ('rolled_back', 'taken back to an earlier version')], max_length=11)),
                ('restored_revision', models.PositiveIntegerField(blank=True, null=True)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(blank=True, editable=False)),
                ('updated_at', models.DateTimeField(blank=True, editable=False)),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('group', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='accounts.chatgroup')),
                ('history_user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'historical portrait',
                'verbose_name_plural': 'historical portraits',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='EntityProfile',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('entity_type', models.CharField(choices=[('user', 'Person'), ('group', 'Group')], max_length=5)),
                ('entity_id', models.UUIDField()),
                ('name', models.CharField(max_length=120)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), blank=True, default=list, size=None)),
                ('body', models.TextField(blank=True)),
                ('lines', models.JSONField(blank=True, default=list)),
                ('source_event_id', models.CharField(blank=True, max_length=100)),
                ('revision', models.PositiveIntegerField(default=1)),
                ('change', models.CharField(choices=[('learned', 'learned'), ('edited', 'edited by you'), ('rolled_back', 'taken back to an earlier version')], max_length=11)),
                ('restored_revision', models.PositiveIntegerField(blank=True, null=True)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.chatgroup')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'portrait',
                'indexes': [models.Index(condition=models.Q(('group__isnull', False)), fields=['group'], name='portraits_of_group')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('tombstone_id', None)), fields=('user', 'entity_type', 'group'), name='one_portrait_per_entity', nulls_distinct=False)],
            },
        ),
        Protect("entityprofile", shape="members"),
        Protect("historicalentityprofile"),
        HideErased("entityprofile", scopes=_LEARNED, marked=True, clock="created_at"),
        HideErased("historicalentityprofile", scopes=_LEARNED, marked=True, clock="created_at"),
    ]
