"""Exports can be cancelled, and their end is announced."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('consent', '0016_prompt_versions'),
    ]

    operations = [
        migrations.AddField(
            model_name='dataexport',
            name='is_unseen',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name='dataexport',
            name='state',
            field=models.CharField(choices=[('pending', 'Waiting'), ('building', 'Being built'), ('ready', 'Ready'), ('failed', 'Failed'), ('expired', 'Expired'), ('cancelled', 'Cancelled')], default='pending', max_length=9),
        ),
    ]
