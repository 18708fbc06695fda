from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_squashed_0007_groupinvitation")]
    operations = [
        migrations.AddField("user", "language", models.CharField(blank=True, max_length=16)),
    ]
