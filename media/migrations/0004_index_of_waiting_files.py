"""An index of the files that wait to be checked or read, which the sweep looks through."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("media", "0003_second_readings")]
    operations = [
        migrations.AddIndex(
            model_name="mediafile",
            index=models.Index(
                condition=models.Q(security_status="pending")
                | models.Q(security_status="failed")
                | models.Q(security_status="safe", text_state="waiting"),
                fields=["id"],
                name="files_that_wait",
            ),
        )
    ]
