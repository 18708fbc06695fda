"""Whoever reads the release reports reads what is to be followed up."""

from django.db import migrations

from finclaw.console.roles import write_roles


def make_roles(apps, schema_editor):
    write_roles(schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("finclaw", "0012_long_tasks"),
        ("memory", "0055_tracking_entries"),
    ]
    operations = [migrations.RunPython(make_roles, migrations.RunPython.noop)]
