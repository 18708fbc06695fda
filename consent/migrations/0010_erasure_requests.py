"""Requests of operators to erase for somebody, which a second operator decides."""


import django.core.validators
import django.db.models.deletion
import foundation.ids
from django.db import migrations, models

from foundation.database.policies import Protect
from foundation.database.roles import ERASER_ROLE


class Migration(migrations.Migration):

    dependencies = [
        ('consent', '0001_squashed_0009_chat_imports'),
    ]

    operations = [
        migrations.CreateModel(
            name='ErasureRequest',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('user_id', models.UUIDField()),
                ('scope', models.CharField(choices=[('item', 'One memory'), ('event', 'One event'), ('session', 'One conversation'), ('thread', 'One thread'), ('task', 'One piece of research'), ('portrait', 'One portrait'), ('import', 'One import'), ('profile', 'What I said about myself'), ('memories', 'Everything learned'), ('account', 'The account')], max_length=10, verbose_name='scope')),
                ('target_id', models.UUIDField(blank=True, null=True, verbose_name='id of the row')),
                ('sources', models.CharField(choices=[('redact', 'remove their words'), ('keep', 'keep them, and never learn from them again')], default='redact', max_length=6, verbose_name='source messages')),
                ('reference', models.CharField(help_text='Of the ticket or letter in which the person asked for it. Nothing that they wrote.', max_length=40, validators=[django.core.validators.RegexValidator('^[\\w./#-]+\\Z', 'One word: letters, digits and . / # - _ alone.')], verbose_name='reference of the request')),
                ('state', models.CharField(choices=[('pending', 'Waiting for a second person'), ('approved', 'Approved'), ('declined', 'Declined'), ('expired', 'Expired')], default='pending', max_length=8)),
                ('asked_by', models.UUIDField()),
                ('asked_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('decided_by', models.UUIDField(blank=True, null=True)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('tombstone', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='request', to='consent.tombstone')),
            ],
            options={
                'verbose_name': 'request of erasure',
                'verbose_name_plural': 'requests of erasure',
                'ordering': ('-asked_at',),
                'indexes': [models.Index(condition=models.Q(('state', 'pending')), fields=['expires_at'], name='pending_erasure_requests')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('state', 'approved'), _negated=True), models.Q(('decided_by__isnull', False), ('tombstone__isnull', False), models.Q(('decided_by', models.F('asked_by')), _negated=True)), _connector='OR'), name='erasure_approved_by_another'), models.CheckConstraint(condition=models.Q(models.Q(('asked_by', models.F('user_id')), _negated=True), models.Q(('decided_by', None), models.Q(('decided_by', models.F('user_id')), _negated=True), _connector='OR')), name='erasure_requested_by_others'), models.UniqueConstraint(condition=models.Q(('state', 'pending')), fields=('user_id', 'scope', 'target_id'), name='one_pending_erasure_request', nulls_distinct=False)],
            },
        ),
        Protect("erasurerequest", append_only=True),
        migrations.RunSQL(
            f"REVOKE DELETE ON consent_erasurerequest FROM {ERASER_ROLE}", migrations.RunSQL.noop
        ),
    ]
