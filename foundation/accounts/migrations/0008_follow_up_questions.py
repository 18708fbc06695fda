"""Users choose whether the assistant asks questions of its own accord."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_withheld_kinds")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="asks_follow_ups",
            field=models.BooleanField(db_default=True, default=True),
        ),
    ]
