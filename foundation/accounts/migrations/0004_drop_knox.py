from django.db import migrations


def forget_knox(apps, schema_editor):
    """The library's own table was never used; its permissions name a page that is gone."""
    apps.get_model("auth", "Permission").objects.filter(content_type__app_label="knox").delete()


class Migration(migrations.Migration):
    """ApiToken is a model of ours now, on the same table with the same columns: only the library's table goes."""

    dependencies = [
        ("accounts", "0003_browsersession"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [
        migrations.RunPython(forget_knox, migrations.RunPython.noop),
        migrations.RunSQL(
            "DROP TABLE IF EXISTS knox_authtoken; DELETE FROM django_migrations WHERE app = 'knox'",
            migrations.RunSQL.noop,
        ),
    ]
