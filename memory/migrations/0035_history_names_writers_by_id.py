"""The histories of stated contexts and portraits name whoever wrote a version by their id alone."""

from django.db import migrations

from foundation.database.history_writers import name_writer_by_id


class Migration(migrations.Migration):
    dependencies = [("memory", "0034_experience_of_tools")]
    operations = [*name_writer_by_id("historicalusercontext"), *name_writer_by_id("historicalentityprofile")]
