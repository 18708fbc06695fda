"""A mark on files that are read a second time. Before, nothing told those that take too much time from those that take
too much memory: each of them may be read again.
"""

from django.db import migrations, models

# The owner of the table sees nobody's rows while the policies are forced on it too.
_TELL_APART = [
    "ALTER TABLE media_mediafile NO FORCE ROW LEVEL SECURITY",
    "UPDATE media_mediafile SET unread_reason = 'too_slow' WHERE unread_reason = 'too_large'",
    "ALTER TABLE media_mediafile FORCE ROW LEVEL SECURITY",
]


class Migration(migrations.Migration):
    dependencies = [("media", "0002_texts_of_files")]
    operations = [
        migrations.AddField(
            model_name="mediafile",
            name="is_second_reading",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.RunSQL(_TELL_APART, migrations.RunSQL.noop),
    ]
