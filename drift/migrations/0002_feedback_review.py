"""Feedback that an operator has seen, with their note."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("drift", "0001_initial")]
    operations = [
        migrations.AddField(
            model_name="feedback",
            name="note",
            field=models.CharField(blank=True, max_length=500),
        ),
        migrations.AddField(
            model_name="feedback",
            name="seen_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="seen"),
        ),
        migrations.AddField(
            model_name="feedback",
            name="seen_by",
            field=models.UUIDField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="feedback",
            index=models.Index(condition=models.Q(("seen_at", None)), fields=["created_at"], name="feedback_to_read"),
        ),
    ]
