"""The end of research and imports is announced, and imports can be cancelled."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0053_projections'),
    ]

    operations = [
        migrations.AddField(
            model_name='chatimport',
            name='is_unseen',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='researchtask',
            name='is_unseen',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name='chatimport',
            name='state',
            field=models.CharField(choices=[('pending', 'Waiting'), ('checking', 'Being checked'), ('storing', 'Being brought in'), ('done', 'Brought in'), ('refused', 'Refused'), ('failed', 'Failed'), ('undone', 'Undone'), ('cancelled', 'Cancelled')], default='pending', max_length=9),
        ),
    ]
