"""Loads the slices of memory a task is given: those of its route that were stated, consented to and known by then."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final, NamedTuple

import structlog
from django.utils import timezone

from consent.models import Capability
from consent.permit import Permit
from consent.services import scope_held_since
from drift.models import DriftSignal
from finclaw.brain.context_slices import (
    ACTIVE_THREADS,
    CHAT,
    LANGUAGE,
    SLICES,
    ContextScope,
    SliceName,
    stated_fields_of,
)
from finclaw.brain.material.reading import asking_sentence
from finclaw.brain.material.route_proposal import speaks_of_threads
from finclaw.brain.research.routes import ROUTES, RoutePolicy, SliceCondition
from finclaw.brain.research.types import LoadedSlices, SliceRequest, SliceText
from foundation.accounts.models import User
from foundation.language import (
    Language,
    language_of,
)
from foundation.personal_data import ConsentScope
from foundation.sanitization.prompt_text import NOTHING, join_texts, truncate_text, trusted_text
from foundation.sanitization.services import sanitized_texts
from foundation.sanitization.types import SafeText
from foundation.telemetry.spans import set_span_attributes, traced
from foundation.text import estimate_tokens
from memory.models import ResearchTask, Snapshot, Thread
from memory.research.contexts import effective_profile_context, effective_thread_context
from memory.research.inferences import snapshots_of_thread
from memory.research.threads import thread_of, threads_of

log = structlog.get_logger(__name__)
RECENT_THREADS: Final = 3
DRIFT_WINDOW: Final = timedelta(days=30)
THREADS: Final = "recent_active_threads"
DRIFT: Final = "persona_drift_recent"
_CUT: Final = trusted_text("…")
_ASKED_IN: Final[Mapping[Language, SafeText]] = MappingProxyType({"en": trusted_text("en"), "zh": trusted_text("zh")})
_HOW_TO_ANSWER: Final = stated_fields_of(CHAT)
StatedContext = Mapping[str, str]


class _SliceOutcome(NamedTuple):
    """A slice, if there is one, and whether consent is missing for a scope that might state it, or state it nearer."""

    found: SliceText | None
    closed: bool = False


@traced("context_built")
def load_slices(permit: Permit, user: User, task: SliceRequest) -> LoadedSlices:
    """The slices of the task's route, each from the nearest scope that states it; logged.

    A language that was never stated is that of the question. A scope without consent is not read at all, and counts as
    never stated: a slice that another scope states, or that has a default, is loaded, and only one that is left out
    counts as blocked. With ``as_of`` later statements are left out, but reply preferences always apply. While
    personalization is switched off defaults alone are loaded. Call in a transaction acting for the user. Raises
    ``NotFound`` for another user's thread.
    """
    is_stopped = Capability.PERSONALIZATION in permit.stopped
    permit, policy = permit.for_answers(), ROUTES[task.route]
    stated = _stated_by_scope(permit, task)
    portions = {
        name: _slice_of_fields(name, stated, _default_of(name, task))
        if SLICES[name].fields
        else _slice_of_rows(name, permit, user, task)
        for name in sorted((*policy.required, *_optional_slices(policy, task)))
    }
    # Where operators stopped personalization, it is not the user's consent that is missing.
    closed = [] if is_stopped else [name for name, portion in portions.items() if portion.closed]
    loaded = LoadedSlices(
        tuple(portion.found for portion in portions.values() if portion.found),
        skipped_missing=tuple(name for name, portion in portions.items() if not portion.found and not portion.closed),
        blocked_by_consent=tuple(name for name in closed if not portions[name].found),
        not_looked_up=tuple(name for name in closed if portions[name].found),
        is_cold=not is_stopped
        and not any((said or {}).get(name) for said in stated.values() for name in _HOW_TO_ANSWER),
    )
    set_span_attributes(**loaded.as_json())
    log.info("context_built", route=task.route, **loaded.as_json())
    return loaded


def recent_threads(permit: Permit, as_of: datetime | None = None) -> list[Thread]:
    """The user's latest active threads, at most three; none without the consent ``save_to_thread``.

    With ``as_of`` only those untouched since: what the others were called then is unknown.
    """
    if not permit.allows(ConsentScope.SAVE_TO_THREAD):
        return []
    active = threads_of(permit).filter(state=Thread.State.OPEN).order_by("-updated_at")
    if as_of is not None:
        active = active.filter(updated_at__lte=as_of)
    return list(active[:RECENT_THREADS])


def named_threads(permit: Permit, slices: LoadedSlices, task: SliceRequest) -> tuple[Thread, ...]:
    """The threads that the slices name, without the task's own."""
    named = recent_threads(permit, task.as_of) if ACTIVE_THREADS in slices.loaded_names else []
    return tuple(thread for thread in named if thread.pk != task.thread_id)


def _optional_slices(policy: RoutePolicy, task: SliceRequest) -> Iterator[SliceName]:
    """The optional slices whose condition is met."""
    met: dict[SliceCondition, bool] = {
        "where there is one": True,
        "the prompt speaks of my threads": speaks_of_threads(task.prompt),
        "the task belongs to a thread": task.thread_id is not None,
    }
    return (name for name, condition in policy.optional.items() if met[condition])


def _stated_by_scope(permit: Permit, task: SliceRequest) -> dict[ContextScope, StatedContext | None]:
    """What each scope states; None for one without consent."""
    return {
        "task": task.overrides,
        "thread": _stated_for_thread(permit, task),
        "profile": _stated_in_profile(permit, task.as_of),
    }


def _stated_for_thread(permit: Permit, task: SliceRequest) -> StatedContext | None:
    if task.thread_id is None:
        return {}
    if not permit.allows(ConsentScope.SAVE_TO_THREAD):
        return None
    return effective_thread_context(permit, thread_of(permit, task.thread_id), task.as_of)


def _stated_in_profile(permit: Permit, as_of: datetime | None) -> StatedContext | None:
    """Reply preferences as they are now, and free text as it was at ``as_of``: it may tell what nobody knew then."""
    if not permit.allows(ConsentScope.SAVE_TO_PROFILE):
        return None
    return effective_profile_context(permit, as_of)


def _default_of(name: SliceName, task: SliceRequest) -> SafeText:
    """The value of a slice that was never stated; for the language, the one that the task is asked in."""
    if name == LANGUAGE:
        return _ASKED_IN[language_of(asking_sentence(task.prompt))]
    definition = SLICES[name]
    return trusted_text(definition.default)


def _slice_of_fields(
    name: SliceName, stated: Mapping[ContextScope, StatedContext | None], default: SafeText
) -> _SliceOutcome:
    """A slice of stated fields, each from the nearest scope that states it, or its default."""
    definition = SLICES[name]
    chosen: dict[str, str] = {}
    chosen_in: dict[str, ContextScope] = {}
    closed = False
    for scope in definition.scopes:
        if len(chosen) == len(definition.fields):
            break
        said = stated[scope]
        closed = closed or said is None
        for field in definition.fields:
            text = (said or {}).get(field, "")
            if field not in chosen and any(sanitized_texts([text])):
                chosen[field], chosen_in[field] = text, scope
    if chosen:
        return _SliceOutcome(_stated_slice(name, chosen, chosen_in), closed)
    return _SliceOutcome(SliceText(name, {definition.fields[0]: default}, "default") if default else None, closed)


def _stated_slice(name: SliceName, chosen: StatedContext, chosen_in: Mapping[str, ContextScope]) -> SliceText | None:
    """The slice of the fields that were found, each with its scope; None where none of them fits a prompt."""
    definition = SLICES[name]
    values = _presentable(definition.fields, chosen, definition.most_tokens)
    if not values:
        return None
    nearest = next(scope for scope in definition.scopes if scope in {chosen_in[field] for field in values})
    farther = {field: chosen_in[field] for field in values if chosen_in[field] != nearest}
    return SliceText(name, values, nearest, farther)


def _slice_of_rows(name: SliceName, permit: Permit, user: User, task: SliceRequest) -> _SliceOutcome:
    """A slice made of the user's rows."""
    scope = ConsentScope.SAVE_TO_THREAD if name == ACTIVE_THREADS else ConsentScope.SAVE_TO_PROFILE
    if not permit.allows(scope):
        return _SliceOutcome(None, closed=True)
    field, said = (
        (THREADS, _thread_titles(permit, task))
        if name == ACTIVE_THREADS
        else (DRIFT, _drift_count(permit, user, task.as_of))
    )
    values = _presentable((field,), {field: said}, SLICES[name].most_tokens)
    return _SliceOutcome(SliceText(name, values, "rows") if values else None)


def _thread_titles(permit: Permit, task: SliceRequest) -> str:
    """The recent threads with what each is about."""
    named = (
        f"{thread.title} ({thread.object_kind} {thread.object_name})" for thread in recent_threads(permit, task.as_of)
    )
    return "; ".join(sanitized_texts(named))


def _drift_count(permit: Permit, user: User, as_of: datetime | None) -> str:
    """How many drift signals the last 30 days hold, "" for none; never their content."""
    until = as_of or timezone.now()
    signals = DriftSignal.objects.filter(
        user=user,
        created_at__gt=until - DRIFT_WINDOW,
        created_at__lte=until,
        consent_version__gte=scope_held_since(permit.user_id, ConsentScope.SAVE_TO_PROFILE),
    )
    return str(signals.count() or "")


def _presentable(fields: Iterable[str], said: StatedContext, most_tokens: int) -> dict[str, SafeText]:
    """The fields fit for a prompt: sanitized, and together no longer than the slice may be."""
    values: dict[str, SafeText] = {}
    for name in fields:
        for text in sanitized_texts([said.get(name, "")]):
            room = most_tokens - sum(estimate_tokens(f"{field}: {value}") for field, value in values.items())
            values[name] = _cut_to_tokens(text, room - estimate_tokens(f"{name}: "))
    return {name: value for name, value in values.items() if value}


def _cut_to_tokens(text: SafeText, most_tokens: int) -> SafeText:
    """The beginning of a text that fits the tokens."""
    if estimate_tokens(text) <= most_tokens:
        return text
    room = most_tokens - estimate_tokens(_CUT)
    end = bisect_right(range(len(text)), room, key=lambda length: estimate_tokens(text[:length])) - 1
    return join_texts("", (truncate_text(text, end), _CUT)) if end > 0 else NOTHING


def snapshot_language(snapshot: Snapshot) -> Language | None:
    """The language of our words in a snapshot, read off its quality note; None where that was removed."""
    note = snapshot.data_quality_note
    if not note:
        return None
    return language_of(note)


def task_language(permit: Permit, task: ResearchTask, slices: LoadedSlices) -> Language:
    """The language the user stated for the task or thread, else that of the thread's first snapshot, else the one
    stated for everything, else that of the question.

    Call in a transaction acting for the user.
    """
    stated = next((loaded.scope for loaded in slices.slices if loaded.slice == LANGUAGE), "default")
    if task.thread is None or stated in ("task", "thread"):
        return slices.language
    first = snapshots_of_thread(permit, task.thread).last()
    return (snapshot_language(first) if first else None) or slices.language
