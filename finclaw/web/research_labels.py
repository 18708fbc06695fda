"""Labels of research in plain words: routes (kinds of research), steps, context slices, and reasons of failures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from finclaw.brain.context_slices import (
    ACTIVE_THREADS,
    FOCUS,
    LANGUAGE,
    LIMITS,
    POSITIONS,
    RESEARCH_DEPTH,
    RESEARCH_STYLE,
    RISK_TONE,
)
from finclaw.brain.research.types import RecommendedRoute
from memory.models import Route

Words = Mapping[str, str | Promise]

ROUTE_MEANINGS: Final[Words] = {
    Route.SNAPSHOT: _("Where something stands: a thesis, what speaks for it and against it, what would end it."),
    Route.THREAD_REFRESH: _("One of your threads again, with what is new since."),
    Route.RISK_CHALLENGE: _("What could go wrong, argued as hard as the material allows."),
    Route.PRE_EXECUTION: _("What to settle before you decide. I never act on it."),
    Route.EVIDENCE_AUDIT: _("How much of the evidence has a date and a source."),
    Route.NARRATIVE_MAPPER: _("Which stories are told about it, for and against."),
    Route.EVENT_IMPACT_READER: _("What something that happened may lead to."),
}
STEPS: Final[Words] = {
    "": _("Getting ready"),
    "evidence": _("Gathering the evidence"),
    "market": _("Looking at the market and the economy"),
    "risks": _("Looking for risks"),
    "invalidators": _("Looking for what would end it"),
    "counter_thesis": _("Arguing the other side"),
    "conditions": _("Listing what to settle first"),
    "thesis": _("Writing it up"),
}
PARTS: Final[Words] = {
    "evidence": _("Evidence"),
    "market": _("Market and economy"),
    "risks": _("Risks"),
    "invalidators": _("What would end it"),
    "counter_thesis": _("The other side"),
    "conditions": _("To be settled first"),
}
ADVISORS: Final[Words] = {
    "asset_research": _("who researches the thing itself"),
    "market_macro": _("who knows the market and the economy"),
    "risk": _("who looks for risks"),
    "counter_thesis": _("who argues the other side"),
    "pre_execution": _("who checks before a decision"),
}
# Labels of the slices a task may use. STANCE_DRIFT is shown on no page, so it has none.
SLICES: Final[Words] = {
    LANGUAGE: _("Your language"),
    RESEARCH_DEPTH: _("Your research depth"),
    RISK_TONE: _("How you want to hear about risk"),
    FOCUS: _("What you care about"),
    RESEARCH_STYLE: _("How you like to do research"),
    ACTIVE_THREADS: _("Your last threads"),
    POSITIONS: _("What you said about your positions"),
    LIMITS: _("Your limits and your time horizon"),
}
WHERE_FROM: Final[Words] = {
    "task": _("because you say so here, for this task alone"),
    "thread": _("because you said so for this thread"),
    "profile": _("because you set it under Settings"),
    "default": _("the usual, since you set nothing"),
    "rows": _("because you follow them"),
}
REASONS: Final[Words] = {
    "close to a thread": _("Close to a thread of yours"),
    "used lately": _("You used this lately"),
    "usual": _("Often a good start"),
}
SOURCES: Final[Words] = {
    "prompt": _("your question"),
    "thread": _("this thread"),
    "item": _("something I remember"),
    "event": _("something that happened"),
    "message": _("what you said in a chat"),
    "snapshot": _("an earlier snapshot"),
    "context": _("what you stated about yourself"),
    "model": _("a language model, not checked"),
}
_FAILURES: Final[Words] = {
    "boundary_refused": _("The result would have told you to act, which I never do. Ask about what to weigh instead."),
    "thread_closed": _("Its thread was closed meanwhile. Ask without the thread, or start a new one."),
    "not_found": _("Something it needed was forgotten meanwhile. Ask again without it."),
    "thread_moved_on": _("Its thread changed each time I had looked at it. Ask again once the other looks are done."),
    "consent_outdated": _("Your consent changed while it ran. Nothing was kept of it; ask again."),
    "erasure_in_progress": _("Something it was made of is being forgotten. Nothing was kept of it; ask again."),
    "task_lost": _("I was interrupted too often. Your question is still here: ask it once more."),
    "research_stopped": _(
        "Research was switched off by the people who run this. Your question is still here: ask it again later."
    ),
    "model_unavailable": _("The language model did not answer. Your question is still here: ask it again later."),
    "consent_scope_missing": _("You took back a consent it needed. Look under Privacy, then ask again."),
}
_FAILED: Final = _("Something went wrong on our side. Your question is still here: ask it once more.")


def failure_text(code: str) -> str:
    """What a task's error means to the user, and what they can do."""
    return str(_FAILURES.get(code, _FAILED))


def label_names(names: Iterable[str], words: Words) -> list[str]:
    """Labels of those names that have one."""
    return [str(words[name]) for name in names if name in words]


def slice_origins(scopes: Iterable[str]) -> str:
    """Where a slice was read, nearest scope first."""
    return "; ".join(label_names(scopes, WHERE_FROM))


def label_sources(names: Iterable[str], read_from: Mapping[str, Iterable[str]]) -> list[str]:
    """Labels of slices with where each was read; tasks of former releases have not recorded that."""
    known = [name for name in names if name in SLICES]
    return [
        _("%(what)s (%(why)s)") % {"what": SLICES[name], "why": why}
        if (why := slice_origins(read_from.get(name, ())))
        else str(SLICES[name])
        for name in known
    ]


def show_recommended(recommended: RecommendedRoute) -> dict[str, str]:
    """A recommended route: why, and an example question."""
    return {
        "skill": recommended.skill.value,
        "label": str(recommended.skill.label),
        "reason": str(REASONS[recommended.reason]),
        "example": recommended.example,
    }
