"""Defines every scope of erasure: what identifies its row, what it takes, how it is confirmed and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from consent.declarations import PersonalModel
from consent.erasure.plan import ErasurePlan
from consent.erasure.row_deletion import account_tables, scope_tables
from consent.erasure.types import Targets
from consent.models import ErasureScope, Sources
from consent.permit import Permit
from foundation.accounts.models import User
from foundation.database.acting_program import acting_program
from foundation.exceptions import NotFound
from foundation.personal_data import ConsentScope
from media.erasure_part import targets_of_file
from memory.erasure.research_requests import research_requested_in_chats
from memory.erasure.research_targets import targets_of_task, targets_of_thread
from memory.erasure.targets import (
    targets_of_event,
    targets_of_import,
    targets_of_item,
    targets_of_portrait,
    targets_of_session,
)
from memory.models import CognitiveEvent, EntityProfile, MemoryItem, TaskContext, Thread

_COUNTED: Final = (MemoryItem, CognitiveEvent, EntityProfile, Thread)


def _count_named(plan: ErasurePlan) -> int:
    """The number of memories, events, portraits and threads to be deleted: what a user would count.

    For a program that is kept from kinds of memory, of those that it sees.
    """
    named = {model: plan.targets.delete.get(model._meta.label, ()) for model in _COUNTED}
    if acting_program().withheld:
        return sum(model._default_manager.filter(pk__in=keys).count() for model, keys in named.items() if keys)
    return sum(map(len, named.values()))


def _count_one(_: ErasurePlan) -> int:
    return 1


def _count_learned(plan: ErasurePlan) -> int:
    kinds = (MemoryItem, CognitiveEvent, EntityProfile)
    return sum(kind.objects.filter(user_id=plan.user_id).count() for kind in kinds)


def _requested_research(permit: Permit, _: str, sources: Sources) -> Targets:
    return research_requested_in_chats(permit) if sources == Sources.REDACT else Targets()


def _stated_tables() -> list[PersonalModel]:
    copied = [personal for personal in account_tables() if personal.model is TaskContext]
    return [*scope_tables(ConsentScope.SAVE_TO_PROFILE), *copied]


def _whatever_sources(find_targets: Callable[[Permit, UUID], Targets]) -> Callable[[Permit, Any, Sources], Targets]:
    return lambda permit, key, _: find_targets(permit, key)


@dataclass(frozen=True)
class ScopeRules:
    """How one scope of erasure is requested, and what it takes.

    ``identifier`` is the type of the row's identifier, None for scopes that name no row. ``find_targets`` takes the
    permit, that identifier and the choice for the source messages; ``tables`` are emptied of the user's rows. Pages
    confirm it by a button, or with ``needs_user_name`` by typing the user's name; receipts show ``count``.
    """

    identifier: type[UUID] | type[str] | None = None
    find_targets: Callable[[Permit, Any, Sources], Targets] = lambda permit, target, sources: Targets()
    tables: Callable[[], Iterable[PersonalModel]] = tuple
    needs_user_name: bool = False
    count: Callable[[ErasurePlan], int] = _count_named
    has_preview: bool = False  # in the API

    def parse(self, target: str) -> UUID | str | None:
        """The identifier in the string ``target``. Raises ``NotFound`` for an invalid one."""
        try:
            return self.identifier(target) if self.identifier else None
        except ValueError:
            raise NotFound() from None


SCOPES: Final[dict[str, ScopeRules]] = {
    ErasureScope.ITEM: ScopeRules(UUID, targets_of_item, has_preview=True),
    ErasureScope.EVENT: ScopeRules(str, targets_of_event, has_preview=True),
    ErasureScope.SESSION: ScopeRules(UUID, _whatever_sources(targets_of_session), has_preview=True),
    ErasureScope.THREAD: ScopeRules(UUID, _whatever_sources(targets_of_thread)),
    ErasureScope.TASK: ScopeRules(UUID, _whatever_sources(targets_of_task), count=_count_one),
    ErasureScope.PORTRAIT: ScopeRules(UUID, _whatever_sources(targets_of_portrait)),
    ErasureScope.IMPORT: ScopeRules(UUID, _whatever_sources(targets_of_import)),
    ErasureScope.MEDIA: ScopeRules(UUID, _whatever_sources(targets_of_file), count=_count_one),
    ErasureScope.PROFILE: ScopeRules(tables=_stated_tables, count=_count_one),
    ErasureScope.MEMORIES: ScopeRules(
        find_targets=_requested_research,
        tables=lambda: scope_tables(ConsentScope.MEMORY_LEARNING),
        needs_user_name=True,
        count=_count_learned,
    ),
    ErasureScope.ACCOUNT: ScopeRules(
        tables=lambda: [personal for personal in account_tables() if personal.model is not User],
        needs_user_name=True,
        count=_count_learned,
    ),
}
