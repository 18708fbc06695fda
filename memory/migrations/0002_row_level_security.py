from django.db import migrations

from foundation.database.policies import Protect


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_initial"), ("accounts", "0001_initial")]
    operations = [
        Protect("usercontext"),
        Protect("historicalusercontext"),
        Protect(
            "session",
            shape="members",
            members_update=("title", "entity_slots", "last_seq", "last_active_at", "turn_started_at", "archived_at"),
        ),
        Protect("conversationevent", shape="members", append_only=True),
        Protect("cognitivejob"),
        Protect("cognitiveevent", shape="members"),
        Protect("memoryitem"),
        # A neighbour's entry is rebuilt when a turn arrives beside it.
        Protect(
            "searchentry",
            shape="members",
            members_update=("terms", "vector", "model_id", "live", "occurred_at"),
        ),
        Protect("receipt"),
        Protect("receiptline"),
        migrations.RunSQL(
            # One narrow row a turn, kept in its page: a detached vector would cost a second read a row.
            "ALTER TABLE memory_searchentry SET (toast_tuple_target = 8160);"
            "ALTER TABLE memory_searchentry ALTER COLUMN vector SET STORAGE MAIN;"
            "ALTER TABLE memory_searchentry ALTER COLUMN terms SET STORAGE MAIN;",
            "ALTER TABLE memory_searchentry RESET (toast_tuple_target);",
        ),
    ]
