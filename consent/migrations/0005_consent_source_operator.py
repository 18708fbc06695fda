from django.db import migrations, models

_SOURCES = [
    ("web", "Web page"),
    ("api", "API"),
    ("command", "Command line"),
    ("operator", "An operator, on the person's behalf"),
]


class Migration(migrations.Migration):
    dependencies = [("consent", "0004_governed")]
    operations = [
        migrations.AlterField(model, "source", models.CharField(choices=_SOURCES, max_length=10))
        for model in ("profileconsent", "historicalprofileconsent")
    ]
