"""One uploaded file can be erased."""

from django.db import migrations, models

_SCOPES = [
    ("item", "One memory"),
    ("event", "One event"),
    ("session", "One conversation"),
    ("thread", "One thread"),
    ("task", "One piece of research"),
    ("portrait", "One portrait"),
    ("import", "One import"),
    ("media", "One file"),
    ("profile", "What I said about myself"),
    ("memories", "Everything learned"),
    ("account", "The account"),
]


class Migration(migrations.Migration):
    dependencies = [("consent", "0017_announced_exports")]

    operations = [
        migrations.AlterField(
            model_name="tombstone", name="scope", field=models.CharField(choices=_SCOPES, max_length=10)
        ),
        migrations.AlterField(
            model_name="erasurerequest",
            name="scope",
            field=models.CharField(choices=_SCOPES, max_length=10, verbose_name="scope"),
        ),
    ]
