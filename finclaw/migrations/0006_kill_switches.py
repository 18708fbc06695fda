"""Operators and privacy officers throw and lift kill switches; viewers read which ones stand."""

from django.db import migrations

from finclaw.console.roles import write_roles


def make_roles(apps, schema_editor):
    write_roles(schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("finclaw", "0005_feedback_review"),
        ("consent", "0011_kill_switches"),
    ]
    operations = [migrations.RunPython(make_roles, migrations.RunPython.noop)]
