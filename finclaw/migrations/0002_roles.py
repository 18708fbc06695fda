from django.db import migrations

from finclaw.console.roles import ROLES, write_roles


def make_roles(apps, schema_editor):
    """A group that an installation made under one of these names keeps what it holds, under another name."""
    database = schema_editor.connection.alias
    for group in apps.get_model("auth", "Group").objects.using(database).filter(name__in=[role.name for role in ROLES]):
        group.name = f"{group.name} (before roles)"
        group.save()
    write_roles(database)


class Migration(migrations.Migration):
    dependencies = [
        ("finclaw", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [migrations.RunPython(make_roles, migrations.RunPython.noop)]
