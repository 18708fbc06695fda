"""Projections of memory into another store: what they are, and a trigger that queues what changes in the search index."""

from __future__ import annotations

from django.db import migrations, models

from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE
from foundation.database.urls import APP_ROLE

# Workers write, everybody reads: the trigger asks whether there is any, and a search which one to ask.
_WRITTEN_BY_WORKERS = f"""
    REVOKE INSERT, UPDATE, DELETE ON memory_projection FROM {APP_ROLE}, {ERASER_ROLE}, {OPERATOR_ROLE};
"""
# Runs for every entry that is written with a vector, given one, or deleted, through whatever door, in the transaction
# that does it, and as who does it: its owner. As long as nothing is projected it only looks whether anything is. The
# entries of a user are gathered in a job that nobody has begun, 64 to a job. An erasure of all that a user has switches
# it off for this user in its transaction, and removes the points itself.
_QUEUE = """
    CREATE FUNCTION memory_queue_projection() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
        entry uuid := CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END;
        owner uuid := CASE TG_OP WHEN 'DELETE' THEN OLD.user_id ELSE NEW.user_id END;
    BEGIN
        IF NOT EXISTS (SELECT FROM memory_projection)
                OR current_setting('memory.unqueued_projections', true) IN (owner::text, 'everybody') THEN
            RETURN NULL;
        END IF;
        UPDATE outbox_outboxmessage
        SET payload = jsonb_set(payload, '{entries}', (payload -> 'entries') || to_jsonb(entry::text))
        WHERE id = (
            SELECT id FROM outbox_outboxmessage
            WHERE user_id = owner AND topic = 'memory.project' AND state = 'pending' AND attempts = 0
              AND jsonb_array_length(payload -> 'entries') < 64
            LIMIT 1 FOR UPDATE SKIP LOCKED
        );
        IF NOT FOUND THEN
            INSERT INTO outbox_outboxmessage (id, topic, user_id, payload, scope, priority, state, attempts,
                                              max_attempts, available_at, error_class, error_sqlstate, created_at)
            VALUES (gen_random_uuid(), 'memory.project', owner, jsonb_build_object('entries', jsonb_build_array(entry)),
                    '', 9, 'pending', 0, 5, clock_timestamp(), '', '', clock_timestamp());
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER queue_projection_of_new AFTER INSERT ON memory_searchentry
        FOR EACH ROW WHEN (NEW.quantized IS NOT NULL) EXECUTE FUNCTION memory_queue_projection();
    CREATE TRIGGER queue_projection AFTER UPDATE OF vector OR DELETE ON memory_searchentry
        FOR EACH ROW EXECUTE FUNCTION memory_queue_projection();
"""
_UNQUEUE = """
    DROP TRIGGER queue_projection ON memory_searchentry;
    DROP TRIGGER queue_projection_of_new ON memory_searchentry;
    DROP FUNCTION memory_queue_projection();
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0052_prompt_version")]

    operations = [
        migrations.CreateModel(
            name="Projection",
            fields=[
                ("name", models.CharField(max_length=120, primary_key=True, serialize=False, verbose_name="collection")),
                ("model_id", models.CharField(max_length=80, unique=True)),
                ("dimensions", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("building", "Being built"), ("serving", "Searched")], default="building", max_length=8, verbose_name="state"
                    ),
                ),
                ("walked_to", models.UUIDField(null=True)),
                ("written", models.PositiveBigIntegerField(default=0, verbose_name="entries walked")),
                ("walked_at", models.DateTimeField(null=True, verbose_name="filled")),
                ("missing", models.PositiveBigIntegerField(null=True, verbose_name="missing points")),
                ("surplus", models.PositiveBigIntegerField(null=True, verbose_name="surplus points")),
                ("compared_at", models.DateTimeField(null=True, verbose_name="compared")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "projection of memory",
                "verbose_name_plural": "projections of memory",
                "ordering": ("created_at",),
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "serving")), fields=("state",), name="one_projection_is_searched"
                    )
                ],
            },
        ),
        migrations.RunSQL(_WRITTEN_BY_WORKERS, migrations.RunSQL.noop),
        migrations.RunSQL(_QUEUE, _UNQUEUE),
    ]
