"""Export files of other assistants, brought into one's own account."""

import django.db.models.deletion
import foundation.ids
from django.conf import settings
from django.db import migrations, models

from foundation.database.policies import Protect


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0023_portraits_of_what_is_remembered'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='session',
            name='brought_by',
            field=models.UUIDField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name='ChatImport',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('pending', 'Waiting'), ('checking', 'Being checked'), ('storing', 'Being brought in'), ('done', 'Brought in'), ('refused', 'Refused'), ('failed', 'Failed'), ('undone', 'Undone')], default='pending', max_length=8)),
                ('assistant', models.CharField(blank=True, max_length=10)),
                ('origin', models.CharField(max_length=10)),
                ('size', models.PositiveBigIntegerField()),
                ('conversations', models.PositiveIntegerField(default=0)),
                ('messages', models.PositiveIntegerField(default=0)),
                ('read', models.PositiveIntegerField(default=0)),
                ('recorded', models.PositiveIntegerField(default=0)),
                ('known', models.PositiveIntegerField(default=0)),
                ('left_out', models.PositiveIntegerField(default=0)),
                ('reason', models.CharField(blank=True, max_length=300)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'import',
                'ordering': ('-created_at',),
                'indexes': [models.Index(fields=['user', '-created_at'], name='my_imports')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['pending', 'checking', 'storing'])), fields=('user',), name='one_import_at_a_time')],
            },
        ),
        Protect("chatimport"),
    ]
