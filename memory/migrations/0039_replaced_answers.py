"""An answer may stand in the place of one that the model failed, which stays as it is and is no longer shown."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0038_leased_turns")]
    operations = [
        migrations.AddField(
            model_name="conversationevent", name="replaces", field=models.UUIDField(blank=True, null=True)
        ),
        migrations.AddConstraint(
            model_name="conversationevent",
            constraint=models.UniqueConstraint(
                fields=["session", "seq", "replaces"], name="one_message_per_place", nulls_distinct=False
            ),
        ),
        migrations.RemoveConstraint(model_name="conversationevent", name="one_message_per_seq"),
    ]
