"""Where people's programs are told of what happens to their memory, and each time that they were."""

import django.contrib.postgres.fields
import django.db.models.deletion
import foundation.ids
from django.conf import settings
from django.db import migrations, models

from foundation.database.policies import Protect


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('url', models.CharField(max_length=500, verbose_name='address')),
                ('events', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('memory.learned', 'a memory was learned'), ('memory.changed', 'a memory changed'), ('memory.forgotten', 'a memory was forgotten'), ('erasure.completed', 'an erasure was completed'), ('export.ready', 'a copy of your data is ready'), ('task.done', 'a research task ended'), ('ping', 'a test')], max_length=20), size=None)),
                ('is_active', models.BooleanField(default=True, verbose_name='active')),
                ('secret', models.CharField(max_length=80)),
                ('previous_secret', models.CharField(blank=True, max_length=80)),
                ('previous_until', models.DateTimeField(blank=True, null=True)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('paused_until', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'webhook',
                'verbose_name_plural': 'webhooks',
                'ordering': ('-created_at',),
            },
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('event', models.CharField(choices=[('memory.learned', 'a memory was learned'), ('memory.changed', 'a memory changed'), ('memory.forgotten', 'a memory was forgotten'), ('erasure.completed', 'an erasure was completed'), ('export.ready', 'a copy of your data is ready'), ('task.done', 'a research task ended'), ('ping', 'a test')], max_length=20)),
                ('subject_id', models.UUIDField()),
                ('state', models.CharField(choices=[('pending', 'Waiting'), ('delivered', 'Delivered'), ('failed', 'Given up'), ('cancelled', 'Cancelled')], default='pending', max_length=10)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('status_code', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('failure', models.CharField(blank=True, max_length=20)),
                ('next_attempt_at', models.DateTimeField(blank=True, null=True)),
                ('give_up_at', models.DateTimeField()),
                ('created_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.webhook')),
            ],
            options={
                'verbose_name': 'delivery',
                'verbose_name_plural': 'deliveries',
                'ordering': ('-created_at',),
            },
        ),
        migrations.AddIndex(
            model_name='webhook',
            index=models.Index(fields=['user', '-created_at'], name='my_webhooks'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(fields=['webhook', '-created_at'], name='deliveries_of_a_webhook'),
        ),
        migrations.AddIndex(
            model_name='webhookdelivery',
            index=models.Index(fields=['created_at'], name='deliveries_by_time'),
        ),
        Protect("webhook"),
        Protect("webhookdelivery"),
    ]
