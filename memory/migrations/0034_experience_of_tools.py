"""Experience may be about a tool or a step of research, whose names are longer than those of kinds of memory."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0033_tool_receipts")]
    operations = [migrations.AlterField("agentexperience", "subject", models.CharField(max_length=60))]
