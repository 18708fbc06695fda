"""Chooses the tone for a user's role: the organisation's rules, else the user's preference, else defaults. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from knowledge.types import Snippet
from memory.evolution.slots import USER_SUBJECT
from personas.types import Preference, RoleTone
from personas.wording import ROLE_TONES, TIER_TONES

STYLE_SLOT: Final = "reply_style"
"""The slot in which memories say how to answer: a rule about it overrules every preference of that kind."""
_STYLES: Final = frozenset({"reply_length", "reply_structure", "reply_tone", "mode"})
_TONES: Final = ("role_rule", "platform_tone", "tone")  # what is meant for fewer goes first
_SETTLES_TONE: Final = frozenset({"reply_tone", "mode"})


def role_tone(snippets: Sequence[Snippet], preferences: Iterable[Preference], *, org_tier: str, role: str) -> RoleTone:
    """The tone for a user of this role in an organisation of this tier ("" outside any).

    ``snippets`` are the organisation's knowledge, which the caller reads; without any, preferences and defaults apply.
    """
    rules = [snippet for snippet in snippets if snippet.kind == "rule" and _is_about_answers(snippet)]
    overruled = frozenset(key for rule in rules for key in _overruled_keys(rule.slot))
    tones = [snippet for kind in _TONES for snippet in snippets if snippet.kind == kind]
    told = tuple(dict.fromkeys(snippet.text for snippet in (*rules, *tones)))
    if told:
        return RoleTone(told, "knowledge", overruled)
    if any(preference.key in _SETTLES_TONE for preference in preferences):
        return RoleTone(origin="preference")
    defaults = (TIER_TONES.get(org_tier, ""), ROLE_TONES.get(role, "") if org_tier else "")
    return RoleTone(tuple(line for line in defaults if line))


def _is_about_answers(rule: Snippet) -> bool:
    return rule.slot in _STYLES | {STYLE_SLOT} and rule.subject in ("", USER_SUBJECT)


def _overruled_keys(slot: str) -> frozenset[str]:
    return _STYLES if slot == STYLE_SLOT else frozenset({slot})
