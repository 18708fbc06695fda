"""Operators read the list of service tokens."""

from django.db import migrations

from finclaw.console.roles import write_roles


def make_roles(apps, schema_editor):
    write_roles(schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("finclaw", "0008_model_costs"),
        ("accounts", "0004_service_tokens"),
    ]
    operations = [migrations.RunPython(make_roles, migrations.RunPython.noop)]
