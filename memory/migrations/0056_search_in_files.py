"""The passages of files are found by search; a program that is kept from chats is kept from them, too."""

from __future__ import annotations

from django.db import migrations, models

from foundation.database.program_policies import THIS_PROGRAM, WithholdFromPrograms, shows

_ITEM = "{} IN (SELECT memory_items_in_sight())"
_TURN = shows("'turn'")
_CHAT = f"{_TURN} OR session_id IN (SELECT memory_sessions_in_sight())"
_DROPPED = "DROP POLICY withheld_from_program ON {}"


class Migration(migrations.Migration):
    dependencies = [("memory", "0055_tracking_entries"), ("media", "0002_texts_of_files")]

    operations = [
        migrations.AlterField(
            model_name="searchentry",
            name="kind",
            field=models.CharField(
                choices=[
                    ("turn", "Message"),
                    ("event", "Event"),
                    ("item", "Memory"),
                    ("profile", "Portrait"),
                    ("document", "File"),
                ],
                max_length=8,
            ),
        ),
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
                    ("standing", "stands in every answer"),
                    ("looked_up", "looked up for this answer"),
                    ("attached", "you sent it with the message"),
                ],
                max_length=20,
            ),
        ),
        migrations.RunSQL(_DROPPED.format("memory_receiptline"), migrations.RunSQL.noop),
        WithholdFromPrograms(
            "receiptline",
            visible=f"CASE kind WHEN 'item' THEN {_ITEM.format('ref_id')} WHEN 'document' THEN {_TURN}"
            f" ELSE {shows('kind')} END",
        ),
        migrations.RunSQL(_DROPPED.format("memory_searchentry"), migrations.RunSQL.noop),
        WithholdFromPrograms(
            "searchentry",
            visible=f"CASE kind WHEN 'item' THEN {_ITEM.format('id')} WHEN 'turn' THEN {_CHAT}"
            f" WHEN 'document' THEN {_TURN} ELSE {shows('kind')} END",
        ),
    ]
