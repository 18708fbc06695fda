"""The event of a task that ended stands for long tasks of every kind."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('webhooks', '0001_initial'),
    ]

    operations = [
        migrations.AlterField(
            model_name='webhook',
            name='events',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('memory.learned', 'a memory was learned'), ('memory.changed', 'a memory changed'), ('memory.forgotten', 'a memory was forgotten'), ('erasure.completed', 'an erasure was completed'), ('export.ready', 'a copy of your data is ready'), ('task.done', 'a long task ended'), ('ping', 'a test')], max_length=20), size=None),
        ),
        migrations.AlterField(
            model_name='webhookdelivery',
            name='event',
            field=models.CharField(choices=[('memory.learned', 'a memory was learned'), ('memory.changed', 'a memory changed'), ('memory.forgotten', 'a memory was forgotten'), ('erasure.completed', 'an erasure was completed'), ('export.ready', 'a copy of your data is ready'), ('task.done', 'a long task ended'), ('ping', 'a test')], max_length=20),
        ),
    ]
