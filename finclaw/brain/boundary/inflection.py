"""Inflected forms of the lexicon's English verbs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

# A short verb of one syllable doubles its last letter: trim, trimming.
_DOUBLES: Final = re.compile(r"[^aeiou]?[^aeiou][aeiou][bdgmnpt]")


def gerund(verb: str) -> str:
    """``scoop up`` → ``scooping up``, ``close`` → ``closing``."""
    first, space, particle = verb.partition(" ")
    stem = first[:-1] if first.endswith("e") and len(first) > len("be") else _double_consonant(first)
    return f"{stem}ing{space}{particle}"


def participle(verb: str, irregular: Mapping[str, str]) -> str:
    """``close out`` → ``closed out``, ``buy`` → ``bought`` where ``irregular`` says so."""
    first, space, particle = verb.partition(" ")
    return f"{irregular.get(first) or _regular_participle(first)}{space}{particle}"


def _regular_participle(verb: str) -> str:
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if verb.endswith("fy") else f"{_double_consonant(verb)}ed"


def _double_consonant(verb: str) -> str:
    return verb + verb[-1] if _DOUBLES.fullmatch(verb) else verb
