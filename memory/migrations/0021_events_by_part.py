"""An event for each thing that was told; those written before wait to be written anew."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0020_to_be_read")]

    operations = [
        migrations.AddField("cognitiveevent", "part", models.PositiveSmallIntegerField(default=0, db_default=0)),
        migrations.AddField("cognitiveevent", "sources", models.JSONField(default=list, blank=True, db_default=[])),
        migrations.AddField("cognitiveevent", "speaks_of_start", models.DateTimeField(null=True, blank=True)),
        migrations.AddField("cognitiveevent", "speaks_of_end", models.DateTimeField(null=True, blank=True)),
        # With a default PostgreSQL writes no row of a table however large; the next one changes what new rows get.
        migrations.AddField(
            "cognitiveevent",
            "rewriting",
            models.CharField(
                max_length=5,
                choices=[("", "None"), ("waits", "Waits"), ("kept", "Kept as it was")],
                default="waits",
                db_default="waits",
                blank=True,
            ),
        ),
        migrations.AlterField(
            "cognitiveevent",
            "rewriting",
            models.CharField(
                max_length=5,
                choices=[("", "None"), ("waits", "Waits"), ("kept", "Kept as it was")],
                default="",
                db_default="",
                blank=True,
            ),
        ),
        migrations.AddIndex(
            "cognitiveevent",
            models.Index(
                fields=["user", "id"], name="events_to_be_rewritten", condition=models.Q(rewriting="waits")
            ),
        ),
        migrations.RemoveConstraint("cognitiveevent", "one_event_per_perspective"),
        migrations.AddConstraint(
            "cognitiveevent",
            models.UniqueConstraint(
                fields=["user", "event_id", "perspective", "part"], name="one_part_per_event_and_perspective"
            ),
        ),
    ]
