"""The history of consents is append-only to the application: only an erasure takes rows of it."""

from django.db import migrations

from foundation.database.append_only import MakeAppendOnly


class Migration(migrations.Migration):
    dependencies = [("consent", "0011_kill_switches")]
    operations = [MakeAppendOnly("historicalprofileconsent")]
