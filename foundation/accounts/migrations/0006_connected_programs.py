"""Programs that a user let act in their name, by OAuth."""

import django.contrib.postgres.fields
import django.db.models.deletion
import foundation.ids
from django.conf import settings
from django.db import migrations, models

from foundation.database.policies import Protect


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0005_tenant_provisioned_by'),
        ('oauth2_provider', '0022_refreshtoken_token_family_index'),
    ]

    operations = [
        migrations.CreateModel(
            name='ConnectedProgram',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=80)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), size=None)),
                ('resource', models.CharField(max_length=300)),
                ('connected_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='connected_programs', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'connected program',
                'verbose_name_plural': 'connected programs',
                'ordering': ('-connected_at',),
                'constraints': [models.UniqueConstraint(fields=('user', 'application'), name='one_connection_a_program')],
            },
        ),
        Protect("connectedprogram"),
    ]
