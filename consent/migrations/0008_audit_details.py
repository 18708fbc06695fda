from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("consent", "0007_forget_one_task")]
    operations = [migrations.AddField("auditevent", "details", models.JSONField(blank=True, default=dict))]
