"""Operators draft, start and stop experiments; the other roles read which ones run."""

from django.db import migrations

from finclaw.console.roles import write_roles


def make_roles(apps, schema_editor):
    write_roles(schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("finclaw", "0009_service_tokens"),
        ("consent", "0015_experiments"),
    ]
    operations = [migrations.RunPython(make_roles, migrations.RunPython.noop)]
