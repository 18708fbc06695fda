from django.db import migrations, models


def forget_axes(apps, schema_editor):
    """Their permissions name pages that are gone."""
    apps.get_model("auth", "Permission").objects.filter(content_type__app_label="axes").delete()


class Migration(migrations.Migration):
    """Failed attempts are counted in a table of ours; the rows of django-axes, with addresses and names, go."""

    dependencies = [("accounts", "0004_drop_knox")]
    operations = [
        migrations.CreateModel(
            "AttemptCount",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("since", models.DateTimeField(db_index=True)),
                ("not_before", models.DateTimeField(null=True)),
            ],
        ),
        migrations.RunSQL("ALTER TABLE accounts_attemptcount SET UNLOGGED", migrations.RunSQL.noop),
        migrations.RunPython(forget_axes, migrations.RunPython.noop),
        migrations.RunSQL(
            """
            DROP TABLE IF EXISTS
                axes_accessattemptexpiration, axes_accessattempt, axes_accessfailurelog, axes_accesslog;
            DELETE FROM django_migrations WHERE app = 'axes'
            """,
            migrations.RunSQL.noop,
        ),
    ]
