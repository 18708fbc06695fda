"""Cuts portraits to the tokens they are given, at the end of a line. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape
from itertools import accumulate

from finclaw.brain.prompt.layers import element_tokens
from finclaw.brain.types import PromptCandidate
from foundation.text import estimate_tokens


def fit_portraits(candidates: Iterable[PromptCandidate], room: int) -> list[PromptCandidate]:
    """The candidates in their order, portraits together at most ``room`` tokens.

    Each portrait is cut after its last line that fits; one left without lines is marked as refused for lack of room.
    """
    found = []
    for candidate in candidates:
        if candidate.kind == "profile" and not candidate.left_out:
            candidate = _cut_portrait(candidate, room)
            room -= 0 if candidate.left_out else candidate.tokens
        found.append(candidate)
    return found


def _cut_portrait(portrait: PromptCandidate, room: int) -> PromptCandidate:
    if portrait.tokens <= room:
        return portrait
    left = room - element_tokens(replace(portrait, text=""))
    lines = portrait.text.splitlines()
    sizes = accumulate(estimate_tokens(escape(line)) for line in lines)
    text = "\n".join(line for line, size in zip(lines, sizes, strict=True) if size <= left).strip()
    if not text:
        return replace(portrait, left_out="budget_exceeded")
    cut = replace(portrait, text=text)
    return replace(cut, tokens=element_tokens(cut))
