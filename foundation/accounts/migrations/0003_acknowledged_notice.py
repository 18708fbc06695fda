"""Which version of the notice somebody acknowledged, and when."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_user_language")]
    operations = [
        migrations.AddField(
            "user", "notice_acknowledged_at", models.DateTimeField(blank=True, editable=False, null=True)
        ),
        migrations.AddField("user", "notice_version", models.PositiveSmallIntegerField(default=0, editable=False)),
    ]
