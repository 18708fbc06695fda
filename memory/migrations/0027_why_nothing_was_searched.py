from django.db import migrations, models

# Those of the last days, which the indicators still read: without a reason a refused turn would look incomplete.
_REASONS = """
    ALTER TABLE memory_receipt NO FORCE ROW LEVEL SECURITY;
    UPDATE memory_receipt r SET unsearched_because = CASE
        WHEN 'memory_unavailable' = ANY(r.degraded) THEN 'memory_unavailable' ELSE 'answered_by_rule' END
    FROM memory_receipt searched
    WHERE searched.message_id = r.message_id AND searched.kind = 'retrieval' AND searched.strategy = ''
      AND searched.created_at > now() - interval '8 days';
    ALTER TABLE memory_receipt FORCE ROW LEVEL SECURITY;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0026_financial_confirmations")]

    operations = [
        migrations.AddField(
            model_name="receipt",
            name="thresholds",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name="receipt",
            name="unsearched_because",
            field=models.CharField(
                blank=True,
                choices=[
                    ("boundary", "a request to act, which is refused"),
                    ("answered_by_rule", "a rule answered it"),
                    ("consent_missing", "remembering is not allowed"),
                    ("memory_unavailable", "memory could not be read in time"),
                ],
                db_default="",
                default="",
                max_length=20,
                verbose_name="not searched because",
            ),
        ),
        migrations.RunSQL(_REASONS, migrations.RunSQL.noop),
    ]
