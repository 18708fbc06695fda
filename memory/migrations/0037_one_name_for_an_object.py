"""What research is about has one name, with what its user called it beside, and the rows that it was taken from.

Where somebody's threads and snapshots call one asset by several names, all take that of the thread, else the one that
the tables show it under; the name before stays as the alias, from which going back restores it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import migrations, models
from django.db.models import F

from foundation.language import language_of
from memory.research.asset_names import canonical_name, object_id
from memory.research.types import CognitionObject

_TABLES = ("memory_thread", "memory_snapshot")
# The owner of the tables sees nobody's rows while the policies are forced on it too.
_UNLOCK = [f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY" for table in _TABLES]
_LOCK = [f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY" for table in _TABLES]
_SOURCES = [
    """UPDATE memory_snapshot SET object_sources = '[{"kind": "prompt", "id": ""}]'""",
    """
    UPDATE memory_thread t SET object_sources = jsonb_build_array(jsonb_build_object('kind', 'snapshot', 'id', s.id))
    FROM (SELECT DISTINCT ON (thread_id) thread_id, id FROM memory_snapshot ORDER BY thread_id, created_at, id) s
    WHERE s.thread_id = t.id
    """,
]


def _name_once(apps: Any, schema_editor: Any) -> None:
    """Give the objects that one user calls by several names the first of ``_names_used``, or the tables' name."""
    thread, snapshot = _tables(apps, schema_editor)
    for (user, key), names in _names_used(thread, snapshot).items():
        followed = [about.name for about in _objects_of(thread.filter(user_id=user)) if object_id(about) == key]
        shown = followed[0] if followed else canonical_name(names[0], language_of(names[0].name))
        for about in names if len(names) > 1 else ():
            for rows in (thread, snapshot):
                same = rows.filter(user_id=user, object_kind=about.kind, object_name=about.name)
                same.exclude(object_name=shown).update(object_alias=F("object_name"), object_name=shown)


def _names_used(*tables: Any) -> dict[tuple[UUID, str], list[CognitionObject]]:
    """The objects as each user named them, by user and id."""
    used: dict[tuple[UUID, str], dict[CognitionObject, None]] = defaultdict(dict)
    for rows in tables:
        for user, kind, name in rows.order_by("created_at").values_list("user_id", "object_kind", "object_name"):
            about = CognitionObject(kind, name)
            used[user, object_id(about)][about] = None
    return {key: list(names) for key, names in used.items()}


def _objects_of(rows: Any) -> Iterable[CognitionObject]:
    named = rows.order_by("-updated_at").values_list("object_kind", "object_name")
    return [CognitionObject(kind, name) for kind, name in named]


def _name_as_said(apps: Any, schema_editor: Any) -> None:
    for rows in _tables(apps, schema_editor):
        rows.exclude(object_alias="").update(object_name=F("object_alias"))


def _tables(apps: Any, schema_editor: Any) -> list[Any]:
    """Threads, then snapshots: the user may have corrected what a thread is about."""
    using = schema_editor.connection.alias
    return [apps.get_model("memory", name)._base_manager.using(using) for name in ("Thread", "Snapshot")]


class Migration(migrations.Migration):
    dependencies = [("memory", "0036_stripped_receipts")]

    operations = [
        *(
            migrations.AddField(name, "object_alias", models.CharField(max_length=200, blank=True, default=""))
            for name in ("thread", "snapshot")
        ),
        *(
            migrations.AddField(name, "object_sources", models.JSONField(default=list, blank=True))
            for name in ("thread", "snapshot")
        ),
        migrations.RunSQL(_UNLOCK, _LOCK),
        migrations.RunSQL(_SOURCES, migrations.RunSQL.noop),
        migrations.RunPython(_name_once, _name_as_said),
        migrations.RunSQL(_LOCK, _UNLOCK),
    ]
