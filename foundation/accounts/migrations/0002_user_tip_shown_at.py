from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]
    operations = [
        migrations.AddField("user", "tip_shown_at", models.DateTimeField(null=True, blank=True, editable=False)),
    ]
