"""Operators write versions of the prompt; the other roles read them."""

from django.db import migrations

from finclaw.console.roles import write_roles


def make_roles(apps, schema_editor):
    write_roles(schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [
        ("finclaw", "0010_experiments"),
        ("consent", "0016_prompt_versions"),
    ]
    operations = [migrations.RunPython(make_roles, migrations.RunPython.noop)]
