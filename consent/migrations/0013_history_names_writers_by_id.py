"""The history of consents names whoever wrote a version by their id alone."""

from django.db import migrations

from foundation.database.history_writers import name_writer_by_id


class Migration(migrations.Migration):
    dependencies = [("consent", "0012_append_only_history")]
    operations = [*name_writer_by_id("historicalprofileconsent")]
