"""A reply that is being made holds its conversation by a lease of seconds, which its process renews."""

from django.db import migrations, models

from foundation.database.urls import APP_ROLE

_GRANT = f"GRANT UPDATE (turn_leased_until) ON memory_session TO {APP_ROLE}"


class Migration(migrations.Migration):
    dependencies = [("memory", "0037_one_name_for_an_object")]
    operations = [
        migrations.AddField(
            model_name="session", name="turn_leased_until", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.RunSQL(_GRANT, migrations.RunSQL.noop),
    ]
