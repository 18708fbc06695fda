"""A user keeps a connected program, or a key, from kinds of memory."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_connected_programs")]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="withheld_kinds",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=20), blank=True, db_default=[], default=list, size=None
            ),
        ),
        migrations.AddField(
            model_name="connectedprogram",
            name="withheld_kinds",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=20), blank=True, db_default=[], default=list, size=None
            ),
        ),
    ]
