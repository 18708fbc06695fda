"""What an erasure covers is invisible from the moment it is asked for."""

from django.db import migrations

from foundation.database.policies import MINE, HideErased
from foundation.database.roles import ERASER_ROLE

# A conversation that others speak in goes to one of them, when whoever began it leaves for good.
_HAND_OVER = f"""
    CREATE POLICY eraser_hands_over ON memory_session FOR UPDATE TO {ERASER_ROLE}
    USING ({MINE}) WITH CHECK (group_id IS NOT NULL)
"""
_LEARNED = ("account", "memories")


class Migration(migrations.Migration):
    dependencies = [("memory", "0003_tombstones"), ("consent", "0004_governed")]
    operations = [
        migrations.RunSQL(_HAND_OVER, "DROP POLICY eraser_hands_over ON memory_session"),
        HideErased("session", scopes=("account",), marked=True, clock="created_at"),
        HideErased("conversationevent", scopes=("account", "sources"), marked=True, clock="created_at"),
        HideErased("cognitivejob", scopes=_LEARNED, marked=True, clock="created_at"),
        HideErased("cognitiveevent", scopes=_LEARNED, marked=True, clock="created_at"),
        HideErased("memoryitem", scopes=_LEARNED, marked=True, clock="created_at"),
        HideErased("searchentry", scopes=_LEARNED, marked=True, clock="created_at"),
        HideErased("receipt", scopes=("account",), clock="created_at"),
        HideErased("receiptline", scopes=("account",)),
        HideErased("usercontext", scopes=("account", "profile"), clock="created_at"),
        HideErased("historicalusercontext", scopes=("account", "profile")),
    ]
