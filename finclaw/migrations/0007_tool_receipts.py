"""Privacy officers read how tools ran, beside the other receipts."""

from django.db import migrations

from finclaw.console.roles import write_roles


def make_roles(apps, schema_editor):
    write_roles(schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("finclaw", "0006_kill_switches"),
        ("memory", "0033_tool_receipts"),
    ]
    operations = [migrations.RunPython(make_roles, migrations.RunPython.noop)]
