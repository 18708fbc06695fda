"""What a user keeps from a program is hidden from it: memories by their type, events, portraits and other chats."""

from __future__ import annotations

from django.db import migrations, models
from django.db.models import Q

from foundation.database.acting_program import ProgramOfTransaction
from foundation.database.policies import ME
from foundation.database.program_policies import THIS_PROGRAM, WithholdFromPrograms, shows

# As functions they cost a search that nothing is kept from no time of the planner's, and others read the ids once.
_ITEMS_IN_SIGHT = f"""
    CREATE FUNCTION memory_items_in_sight() RETURNS SETOF uuid LANGUAGE plpgsql STABLE ROWS 1000 AS $$
    BEGIN RETURN QUERY SELECT id FROM memory_memoryitem WHERE user_id = {ME}; END $$
"""
_SESSIONS_IN_SIGHT = f"""
    CREATE FUNCTION memory_sessions_in_sight() RETURNS SETOF uuid LANGUAGE plpgsql STABLE ROWS 1000 AS $$
    BEGIN RETURN QUERY SELECT id FROM memory_session WHERE opened_by = {THIS_PROGRAM}; END $$
"""
_ITEM = "{} IN (SELECT memory_items_in_sight())"
_SESSION = "{} IN (SELECT memory_sessions_in_sight())"
_EVENT, _PORTRAIT, _TURN = shows("'event'"), shows("'profile'"), shows("'turn'")
_CHAT = f"{_TURN} OR {_SESSION.format('session_id')}"


class Migration(migrations.Migration):
    dependencies = [("memory", "0045_reasons_of_imports")]

    operations = [
        migrations.AddField(
            model_name="session",
            name="opened_by",
            field=models.UUIDField(db_default=ProgramOfTransaction(), editable=False, null=True),
        ),
        migrations.RemoveIndex(model_name="memoryitem", name="my_items"),
        migrations.AddIndex(
            model_name="memoryitem",
            index=models.Index(
                fields=["user", "-created_at"],
                name="my_items",
                condition=Q(tombstone_id=None),
                include=["memory_type"],
            ),
        ),
        migrations.RunSQL(_ITEMS_IN_SIGHT, "DROP FUNCTION memory_items_in_sight"),
        migrations.RunSQL(_SESSIONS_IN_SIGHT, "DROP FUNCTION memory_sessions_in_sight"),
        WithholdFromPrograms("memoryitem", visible=shows("memory_type"), writes=True),
        WithholdFromPrograms("evolutionevent", visible=_ITEM.format("item_id")),
        WithholdFromPrograms("cognitiveevent", visible=_EVENT),
        WithholdFromPrograms("entityprofile", visible=_PORTRAIT),
        WithholdFromPrograms("historicalentityprofile", visible=_PORTRAIT),
        WithholdFromPrograms("session", visible=f"{_TURN} OR opened_by = {THIS_PROGRAM}"),
        WithholdFromPrograms("conversationevent", visible=_CHAT),
        WithholdFromPrograms("receipt", visible=_CHAT),
        WithholdFromPrograms("toolreceipt", visible=_CHAT),
        WithholdFromPrograms(
            "receiptline",
            visible=f"CASE kind WHEN 'item' THEN {_ITEM.format('ref_id')} ELSE {shows('kind')} END",
        ),
        WithholdFromPrograms(
            "searchentry",
            visible=f"CASE kind WHEN 'item' THEN {_ITEM.format('id')}"
            f" WHEN 'turn' THEN {_CHAT} ELSE {shows('kind')} END",
        ),
    ]
