"""The changes of upkeep that a user undid, and that are not made again."""

from __future__ import annotations

from consent.permit import Permit
from memory.models import EvolutionEvent


def undone_changes(permit: Permit, action: EvolutionEvent.Action) -> list[EvolutionEvent]:
    """Changes of this kind that upkeep made and the user undid."""
    mine = EvolutionEvent.objects.filter(user_id=permit.user_id, action=action, actor=EvolutionEvent.Actor.GOVERNOR)
    return list(mine.exclude(undone_at=None))
