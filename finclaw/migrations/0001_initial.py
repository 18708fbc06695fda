from django.db import migrations, models


class Migration(migrations.Migration):
    """Permissions for the operators' pages that stand for no table."""

    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="OperatorPage",
            fields=[("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))],
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
    ]
