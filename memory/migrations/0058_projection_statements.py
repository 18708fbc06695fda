"""What a statement adds to or deletes from the search index is queued for the projections at once, not row by row."""

from __future__ import annotations

from importlib import import_module

from django.db import migrations

_BY_ROW = import_module(".0053_projections", __package__)

# As before, entries are gathered 64 to a job, in the transaction that changes them and as their owner, and nothing is
# queued without a projection or for whom an erasure has switched it off. But no job of an earlier transaction is looked
# for: there the work grew with the square of what waits. A transaction adds to its own latest job only, which nobody
# else sees yet. Insertions and deletions are queued a statement at a time; vectors rewritten a row at a time, because
# the triggers of statements that see the rows would run, and keep the rows, whatever columns are written.
_QUEUE = """
    CREATE FUNCTION memory_queue_entries(owner uuid, entries uuid[]) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
        latest uuid := nullif(current_setting('memory.projection_job', true), '');
    BEGIN
        IF latest IS NOT NULL THEN
            UPDATE outbox_outboxmessage
            SET payload = jsonb_set(payload, '{entries}', (payload -> 'entries') || to_jsonb(entries))
            WHERE id = latest AND user_id = owner AND state = 'pending' AND attempts = 0
              AND jsonb_array_length(payload -> 'entries') + cardinality(entries) <= 64;
            IF FOUND THEN
                RETURN;
            END IF;
        END IF;
        latest := gen_random_uuid();
        INSERT INTO outbox_outboxmessage (id, topic, user_id, payload, scope, priority, state, attempts,
                                          max_attempts, available_at, error_class, error_sqlstate, created_at)
        SELECT CASE part WHEN (cardinality(entries) - 1) / 64 THEN latest ELSE gen_random_uuid() END,
               'memory.project', owner, jsonb_build_object('entries', jsonb_agg(entry)), '', 9, 'pending', 0, 5,
               clock_timestamp(), '', '', clock_timestamp()
        FROM (
            SELECT entry, (place - 1) / 64 AS part
            FROM unnest(entries) WITH ORDINALITY AS listed (entry, place)
        ) AS parts
        GROUP BY part;
        PERFORM set_config('memory.projection_job', latest::text, true);
    END $$;
    CREATE FUNCTION memory_queue_projections() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
        unqueued text := coalesce(current_setting('memory.unqueued_projections', true), '');
        owner uuid;
        entries uuid[];
    BEGIN
        IF unqueued = 'everybody' OR NOT EXISTS (SELECT FROM memory_projection) THEN
            RETURN NULL;
        END IF;
        FOR owner, entries IN
            SELECT user_id, array_agg(id) FROM changed
            WHERE (TG_OP = 'DELETE' OR quantized IS NOT NULL) AND user_id::text <> unqueued GROUP BY user_id
        LOOP
            PERFORM memory_queue_entries(owner, entries);
        END LOOP;
        RETURN NULL;
    END $$;
    CREATE FUNCTION memory_queue_projection() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT FROM memory_projection)
                AND coalesce(current_setting('memory.unqueued_projections', true), '')
                    NOT IN (NEW.user_id::text, 'everybody') THEN
            PERFORM memory_queue_entries(NEW.user_id, ARRAY[NEW.id]);
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER queue_projection_of_new AFTER INSERT ON memory_searchentry
        REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_projections();
    CREATE TRIGGER queue_projection_of_deleted AFTER DELETE ON memory_searchentry
        REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memory_queue_projections();
    CREATE TRIGGER queue_projection AFTER UPDATE OF vector ON memory_searchentry
        FOR EACH ROW EXECUTE FUNCTION memory_queue_projection();
"""
_UNQUEUE = """
    DROP TRIGGER queue_projection ON memory_searchentry;
    DROP TRIGGER queue_projection_of_deleted ON memory_searchentry;
    DROP TRIGGER queue_projection_of_new ON memory_searchentry;
    DROP FUNCTION memory_queue_projection();
    DROP FUNCTION memory_queue_projections();
    DROP FUNCTION memory_queue_entries(uuid, uuid[]);
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0057_receipts_of_experiments")]

    operations = [migrations.RunSQL(_BY_ROW._UNQUEUE + _QUEUE, _UNQUEUE + _BY_ROW._QUEUE)]
