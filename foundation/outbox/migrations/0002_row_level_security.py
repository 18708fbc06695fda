from django.db import migrations

from foundation.database.policies import Protect


class Migration(migrations.Migration):
    dependencies = [("outbox", "0001_initial"), ("accounts", "0001_initial")]
    operations = [Protect("outboxmessage", shared_work=True)]
