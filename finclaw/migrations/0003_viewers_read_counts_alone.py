from django.db import migrations

from finclaw.console.roles import write_roles


class Migration(migrations.Migration):
    dependencies = [("finclaw", "0002_roles")]
    operations = [
        migrations.RunPython(
            lambda apps, schema_editor: write_roles(schema_editor.connection.alias), migrations.RunPython.noop
        )
    ]
