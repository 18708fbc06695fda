"""A mark on what a user states: kept out of training, since they took that consent back and kept this."""

from django.db import migrations, models

# Whose consent to training was taken back while their context stood, before there was the mark. The owner of the table
# reads no row under FORCE.
_MARK = (
    "ALTER TABLE memory_usercontext NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE consent_historicalprofileconsent NO FORCE ROW LEVEL SECURITY",
    """
    UPDATE memory_usercontext c SET training_excluded = true WHERE EXISTS (
        SELECT 1 FROM consent_historicalprofileconsent withdrawn
        JOIN consent_historicalprofileconsent granted
          ON granted.user_id = withdrawn.user_id AND granted.version = withdrawn.version - 1
        WHERE withdrawn.user_id = c.user_id AND withdrawn.changed_at >= c.created_at
          AND granted.training_use_allowed AND NOT withdrawn.training_use_allowed
    )
    """,
    "ALTER TABLE consent_historicalprofileconsent FORCE ROW LEVEL SECURITY",
    "ALTER TABLE memory_usercontext FORCE ROW LEVEL SECURITY",
)


class Migration(migrations.Migration):
    dependencies = [
        ("consent", "0001_squashed_0009_chat_imports"),
        ("memory", "0001_squashed_0024_chat_imports"),
    ]
    operations = [
        migrations.AddField(
            model_name="historicalusercontext",
            name="training_excluded",
            field=models.BooleanField(default=False, verbose_name="kept out of training"),
        ),
        migrations.AddField(
            model_name="usercontext",
            name="training_excluded",
            field=models.BooleanField(default=False, verbose_name="kept out of training"),
        ),
        migrations.RunSQL(_MARK, migrations.RunSQL.noop),
    ]
