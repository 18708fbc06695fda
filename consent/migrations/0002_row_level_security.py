from django.db import migrations

from foundation.database.policies import Protect


class Migration(migrations.Migration):
    dependencies = [("consent", "0001_initial"), ("accounts", "0001_initial")]
    operations = [Protect("profileconsent"), Protect("historicalprofileconsent")]
