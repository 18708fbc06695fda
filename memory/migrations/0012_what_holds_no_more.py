"""Messages that taught what holds no more stand in search as past; two more reasons why a receipt leaves one out."""

from django.db import migrations, models

# A message stays as it is where something still open says what the closed item said, however many versions on. The
# owner sees no row of a protected table, so for this statement the protection is lifted.
_RETIRE_MESSAGES = """
    ALTER TABLE memory_memoryitem NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE memory_searchentry NO FORCE ROW LEVEL SECURITY;
    UPDATE memory_searchentry entry SET live = false
    FROM memory_memoryitem item
    CROSS JOIN LATERAL jsonb_array_elements_text(item.provenance_detail -> 'message_ids') AS said(id)
    WHERE entry.id = said.id::uuid AND entry.user_id = item.user_id AND entry.kind = 'turn'
        AND (item.superseded_at IS NOT NULL OR item.epistemic_type = 'outdated')
        AND NOT EXISTS (
            WITH RECURSIVE line (id) AS (
                SELECT item.superseded_by_id
                UNION
                SELECT later.superseded_by_id FROM memory_memoryitem later JOIN line ON later.id = line.id
            )
            SELECT FROM memory_memoryitem other
            WHERE other.user_id = item.user_id AND other.id <> item.id AND other.superseded_at IS NULL
                AND other.provenance_detail -> 'message_ids' ? said.id
                AND (other.content_hash = item.content_hash OR other.id IN (SELECT line.id FROM line)
                     OR item.provenance_detail -> 'merged_from' ? other.id::text)
        );
    SET CONSTRAINTS ALL IMMEDIATE;
    ALTER TABLE memory_memoryitem FORCE ROW LEVEL SECURITY;
    ALTER TABLE memory_searchentry FORCE ROW LEVEL SECURITY;
"""


class Migration(migrations.Migration):

    dependencies = [("memory", "0011_one_version_true_at_a_time")]

    operations = [
        migrations.AlterField(
            model_name="receiptline",
            name="decision_reason",
            field=models.CharField(
                choices=[
                    ("relevance", "fits what was asked"),
                    ("recency", "recent"),
                    ("confidence", "you told me so"),
                    ("budget_exceeded", "no room"),
                    ("blocked", "blocked for safety"),
                    ("stated", "you set it yourself"),
                    ("outdated", "out of date"),
                    ("conflict", "your organisation's knowledge says otherwise"),
                    ("superseded", "no longer holds"),
                    ("duplicate", "a memory says it already"),
                ],
                max_length=20,
            ),
        ),
        migrations.RunSQL(_RETIRE_MESSAGES, migrations.RunSQL.noop),
    ]
