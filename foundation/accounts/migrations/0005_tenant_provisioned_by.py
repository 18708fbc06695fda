"""Which token or operator an organisation was added by: a token provisions for its own organisations alone."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_service_tokens'),
    ]

    operations = [
        migrations.AddField(
            model_name='tenant',
            name='provisioned_by',
            field=models.UUIDField(editable=False, null=True),
        ),
    ]
