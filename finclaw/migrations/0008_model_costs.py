"""A permission for the page on what language models cost, which every operator's role has."""

from django.db import migrations

from finclaw.console.roles import write_roles


def make_roles(apps, schema_editor):
    write_roles(schema_editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [("finclaw", "0007_tool_receipts")]
    operations = [
        migrations.AlterModelOptions(
            name="operatorpage",
            options={
                "default_permissions": (),
                "managed": False,
                "permissions": [
                    ("view_today", "Can view Today"),
                    ("view_quality", "Can view memory quality"),
                    ("view_historian", "Can view the historian"),
                    ("view_drift", "Can view how minds changed"),
                    ("view_model_costs", "Can view what language models cost"),
                ],
            },
        ),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
