"""Every portrait stored by now was made of events alone, and is to be made anew of what is remembered."""

import django.contrib.postgres.fields
from django.db import migrations, models

_OF_EVENTS, _OF_MEMORIES = 1, 2


def _made_by(number: int) -> models.PositiveSmallIntegerField:
    return models.PositiveSmallIntegerField(default=number, db_default=number)


class Migration(migrations.Migration):
    dependencies = [("memory", "0022_messages_ended")]

    operations = [
        operation
        for name in ("entityprofile", "historicalentityprofile")
        for operation in (
            migrations.AddField(
                name,
                "left_out",
                django.contrib.postgres.fields.ArrayField(models.UUIDField(), blank=True, default=list, size=None),
            ),
            # With a default PostgreSQL writes no row however many; the next one changes what new rows get.
            migrations.AddField(name, "made_by", _made_by(_OF_EVENTS)),
            migrations.AlterField(name, "made_by", _made_by(_OF_MEMORIES)),
        )
    ]
