"""Privacy officers ask for, approve and decline erasures for people who asked for them."""

from django.db import migrations

from finclaw.console.roles import write_roles


def make_roles(apps, schema_editor):
    write_roles(schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("finclaw", "0001_squashed_0003_viewers_read_counts_alone"),
        ("consent", "0010_erasure_requests"),
    ]
    operations = [migrations.RunPython(make_roles, migrations.RunPython.noop)]
