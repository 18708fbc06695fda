"""Privacy officers read feedback, and mark it as seen."""

from django.db import migrations

from finclaw.console.roles import write_roles


def make_roles(apps, schema_editor):
    write_roles(schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("finclaw", "0004_erasures_on_request"),
        ("drift", "0002_feedback_review"),
    ]
    operations = [migrations.RunPython(make_roles, migrations.RunPython.noop)]
