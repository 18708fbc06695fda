"""An import can be undone as a whole."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('consent', '0008_audit_details'),
    ]

    operations = [
        migrations.AlterField(
            model_name='tombstone',
            name='scope',
            field=models.CharField(choices=[('item', 'One memory'), ('event', 'One event'), ('session', 'One conversation'), ('thread', 'One thread'), ('task', 'One piece of research'), ('portrait', 'One portrait'), ('import', 'One import'), ('profile', 'What I said about myself'), ('memories', 'Everything learned'), ('account', 'The account')], max_length=10),
        ),
    ]
