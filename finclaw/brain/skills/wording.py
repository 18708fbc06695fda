"""Fixed sentences on skills, in both languages."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final, Literal

from finclaw.brain.boundary import BoundaryRefused
from foundation.language import Language
from foundation.lexicon import read_lexicon
from foundation.sanitization.prompt_text import NOTHING, trusted_text
from foundation.sanitization.types import SafeText
from memory.models import Route

SkillTextKey = Literal[
    "started",
    "not_covered",
    "temporary",
    "which_thread",
    "which_object",
    "own_thread",
    "never_acts",
    "boundary",
    "research_stopped",
]
_WORDS: Final = read_lexicon(__file__)
_NEVER_ACTS: Final = {**_WORDS.sentence("never_acts"), "en": BoundaryRefused.default_message}
_SENTENCES: Final = _WORDS.by_language("sentences")
_STARTED: Final = _WORDS.by_language("started")
_OFFER: Final = MappingProxyType(
    {
        Route.SNAPSHOT: "a snapshot of something",
        Route.THREAD_REFRESH: "another look at one of their threads",
        Route.RISK_CHALLENGE: "a risk challenge of a view",
        Route.PRE_EXECUTION: "a check before acting",
        Route.EVIDENCE_AUDIT: "an audit of evidence",
        Route.NARRATIVE_MAPPER: "a map of the narratives",
        Route.EVENT_IMPACT_READER: "a reading of an event's impact",
    }
)


def phrase(language: Language, key: SkillTextKey) -> str:
    """A fixed sentence."""
    if key == "never_acts":
        return _NEVER_ACTS[language]
    return str(_SENTENCES[language][key]).replace("{never_acts}", _NEVER_ACTS[language])


def describe_started(language: Language, skill: str, name: str) -> str:
    """What was started, and where to follow it."""
    return phrase(language, "started").format(what=_STARTED[language][skill].format(name=name))


def describe_offered(skills: Iterable[str]) -> SafeText:
    """What the prompt tells the model about the skills on offer, "" without any (layer 5)."""
    names = [_OFFER[Route(name)] for name in Route.values if name in frozenset(skills)]
    if not names:
        return NOTHING
    return trusted_text(
        "When the person asks in plain words for one of these, it is started for them before you speak:"
        f" {'; '.join(names)}. You may say that they can ask; never say that you started one."
    )
