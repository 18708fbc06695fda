"""Evidence of the consent of people whom an organisation serves."""

import django.db.models.deletion
import foundation.ids
from django.conf import settings
from django.db import migrations, models

from foundation.database.policies import Protect


class Migration(migrations.Migration):

    dependencies = [
        ('consent', '0013_history_names_writers_by_id'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='historicalprofileconsent',
            name='source',
            field=models.CharField(choices=[('web', 'Web page'), ('api', 'API'), ('command', 'Command line'), ('operator', "An operator, on the person's behalf"), ('tenant', 'The organisation whose application serves the person')], max_length=10),
        ),
        migrations.AlterField(
            model_name='profileconsent',
            name='source',
            field=models.CharField(choices=[('web', 'Web page'), ('api', 'API'), ('command', 'Command line'), ('operator', "An operator, on the person's behalf"), ('tenant', 'The organisation whose application serves the person')], max_length=10),
        ),
        migrations.CreateModel(
            name='ConsentEvidence',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant_id', models.UUIDField()),
                ('consent_version', models.PositiveIntegerField()),
                ('agreed_at', models.DateTimeField()),
                ('statement', models.CharField(blank=True, max_length=2000)),
                ('reference', models.CharField(blank=True, max_length=200)),
                ('recorded_by', models.UUIDField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='consent_evidence', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'evidence of consent',
                'verbose_name_plural': 'evidence of consent',
                'ordering': ('-created_at',),
                'indexes': [models.Index(fields=['user', '-created_at'], name='latest_consent_evidence')],
                'constraints': [models.CheckConstraint(condition=models.Q(('reference', ''), ('statement', ''), _negated=True), name='consent_evidence_names_something')],
            },
        ),
        Protect("consentevidence", append_only=True),
    ]
