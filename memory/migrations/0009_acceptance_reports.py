"""Release reports, added and never changed; what the indicators count over everybody is found by time."""

import django.contrib.postgres.indexes
import foundation.ids
from django.db import migrations, models

from foundation.database.roles import ENTERED_ROLES
from foundation.database.urls import APP_ROLE

_WRITERS = ", ".join((APP_ROLE, *ENTERED_ROLES))


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0008_receipt_reasons'),
    ]

    operations = [
        migrations.CreateModel(
            name='AcceptanceReport',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('release', models.CharField(max_length=80)),
                ('verdict', models.CharField(choices=[('pass', 'Pass'), ('observe', 'Observe'), ('fail', 'Fail')], max_length=8)),
                ('rows', models.JSONField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'verbose_name': 'release report',
                'ordering': ('-created_at', '-id'),
                'indexes': [models.Index(fields=['-created_at'], name='latest_reports')],
            },
        ),
        migrations.AddIndex(
            model_name='receipt',
            index=django.contrib.postgres.indexes.BrinIndex(fields=['created_at'], name='receipts_by_time'),
        ),
        migrations.AddIndex(
            model_name='evolutionevent',
            index=models.Index(condition=models.Q(('action', 'fused')), fields=['created_at'], name='fuses_by_time'),
        ),
        migrations.RunSQL(
            f"REVOKE UPDATE, DELETE ON memory_acceptancereport FROM {_WRITERS}",
            f"GRANT UPDATE, DELETE ON memory_acceptancereport TO {_WRITERS}",
        ),
    ]
