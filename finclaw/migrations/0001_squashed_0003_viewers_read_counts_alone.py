"""Permissions for the operators' pages that stand for no table, and what each role of operators may do."""

from django.db import migrations, models

from finclaw.console.roles import ROLES, write_roles


def make_roles(apps, schema_editor):
    """A group that an installation made under one of these names keeps what it holds, under another name."""
    database = schema_editor.connection.alias
    for group in apps.get_model("auth", "Group").objects.using(database).filter(name__in=[role.name for role in ROLES]):
        group.name = f"{group.name} (before roles)"
        group.save()
    write_roles(database)


class Migration(migrations.Migration):
    initial = True
    replaces = [
        ("finclaw", "0001_initial"),
        ("finclaw", "0002_roles"),
        ("finclaw", "0003_viewers_read_counts_alone"),
    ]
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [
        migrations.CreateModel(
            name="OperatorPage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ],
            options={
                "permissions": [
                    ("view_today", "Can view Today"),
                    ("view_quality", "Can view memory quality"),
                    ("view_historian", "Can view the historian"),
                    ("view_drift", "Can view how minds changed"),
                ],
                "managed": False,
                "default_permissions": (),
            },
        ),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
