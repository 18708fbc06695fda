"""Service tokens of organisations, and accounts of the people whom they serve."""

import django.db.models.deletion
import foundation.ids
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_acknowledged_notice'),
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='ServiceToken',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=80)),
                ('digest', models.CharField(editable=False, max_length=128, unique=True)),
                ('token_key', models.CharField(db_index=True, editable=False, max_length=25)),
                ('issued_by', models.UUIDField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name': 'service token',
                'verbose_name_plural': 'service tokens',
                'ordering': ('-created_at',),
            },
        ),
        migrations.AddField(
            model_name='user',
            name='external_id',
            field=models.CharField(blank=True, default='', editable=False, max_length=120),
        ),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.UniqueConstraint(condition=models.Q(('external_id', ''), _negated=True), fields=('tenant', 'external_id'), name='one_managed_account_a_person'),
        ),
        migrations.AddConstraint(
            model_name='user',
            constraint=models.CheckConstraint(condition=models.Q(('external_id', ''), models.Q(('is_staff', False), ('is_superuser', False), ('password__startswith', '!'), ('tenant__isnull', False)), _connector='OR'), name='nobody_signs_in_to_a_managed_account'),
        ),
        migrations.AddField(
            model_name='servicetoken',
            name='tenant',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='service_tokens', to='accounts.tenant'),
        ),
    ]
