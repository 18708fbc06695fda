"""A reply holds its conversation for as long as its process renews one row; a lease a conversation goes."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from foundation.database.urls import APP_ROLE

_GRANT = f"GRANT UPDATE (turn_process) ON memory_session TO {APP_ROLE}"


class Migration(migrations.Migration):
    dependencies = [("memory", "0046_kinds_withheld_from_programs")]
    operations = [
        migrations.CreateModel(
            name="ReplyProcess",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ("leased_until", models.DateTimeField()),
                ("sessions", ArrayField(base_field=models.UUIDField(), default=list, size=None)),
            ],
        ),
        migrations.AddField(
            model_name="session", name="turn_process", field=models.UUIDField(blank=True, null=True)
        ),
        migrations.RunSQL(_GRANT, migrations.RunSQL.noop),
        migrations.RemoveField(model_name="session", name="turn_leased_until"),
    ]
