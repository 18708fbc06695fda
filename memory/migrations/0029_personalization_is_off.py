from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0028_item_usage_and_updates")]

    operations = [
        migrations.AlterField(
            model_name="receipt",
            name="unsearched_because",
            field=models.CharField(
                blank=True,
                choices=[
                    ("boundary", "a request to act, which is refused"),
                    ("answered_by_rule", "a rule answered it"),
                    ("consent_missing", "remembering is not allowed"),
                    ("memory_unavailable", "memory could not be read in time"),
                    ("personalization_off", "personalization is switched off"),
                ],
                db_default="",
                default="",
                max_length=20,
                verbose_name="not searched because",
            ),
        ),
    ]
