from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("memory", "0018_entries_by_model"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="memoryitem",
            index=models.Index(
                condition=models.Q(("provenance_detail__has_key", "may_change"), ("superseded_at", None)),
                fields=["user", "-created_at"],
                name="items_in_conflict",
            ),
        ),
    ]
