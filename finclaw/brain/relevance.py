"""What of the candidates bears on a message: shares its words, its direction, or answers what it asks for. Pure.

A floor relative to the best keeps out what only happens to share a word with a message that something else fits well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from finclaw.brain.restatement import replaced
from finclaw.brain.topics import Asked
from finclaw.brain.types import Candidate
from foundation.text import tokenize
from memory.evolution.slots import holds_several
from memory.governance.staleness import NEVER_OUTDATED

# Each measured on the embedded default, in both languages (``manage.py evaluate_recall``).
MIN_COSINE: Final = 0.3
"""Below it a text and a question have no direction in common."""
COSINE_SHARE: Final = 0.8
"""Of the best cosine among memories: where one says it plainly, the merely similar is filler."""
WORDS_SHARE: Final = 0.4
"""Of the best full-text score, whatever it was of: what shares but a frequent word with the message falls below."""
SCORE_SHARE: Final = 0.6
"""Of the best fused score among messages, or events: there is no confidence in it that would tell them apart."""


def judged(candidates: Sequence[Candidate], asked: Asked, terms: Collection[str]) -> list[Candidate]:
    """The candidates of one question of these index ``terms``: whether each bears on it, and what is past of them.

    What answers by its words, or by its slot, comes before what is merely similar, and that before the rest of a list:
    "Which music do I like?" brings up everything liked only where nothing speaks of music. What replaced a message
    that bears on the question bears on it too.
    """
    anew = replaced(candidates)
    known = [replace(one, past=True) if one.id in anew else one for one in candidates]
    present = [one for one in known if asked.past or not one.past]
    bears = _bearing(present, asked, frozenset(terms))
    near = _messages(candidates) if anew else set()
    bears |= {later for older, later in anew.items() if older in near}
    return [replace(one, relevant=one.id in bears, left_out=_left_out(one, asked)) for one in known]


def _left_out(candidate: Candidate, asked: Asked) -> str:
    """What holds no more is shown, and marked, to whoever asks how things were."""
    return "superseded" if candidate.past and not asked.past else ""


def _bearing(present: Sequence[Candidate], asked: Asked, terms: frozenset[str]) -> set[UUID]:
    items = [one for one in present if one.kind == "item"]
    bears = _by_words(present, asked, terms) | {one.id for one in items if _answers(one, asked)} | _messages(present)
    if not bears:
        bears |= _similar(items)
    if bears.isdisjoint(one.id for one in items):
        bears |= {one.id for one in items if asked.covers(one.slot)}
    return bears


def _by_words(present: Sequence[Candidate], asked: Asked, terms: frozenset[str]) -> set[UUID]:
    """Items that share the question's words, and not only a frequent one. Those looked for under their label too are
    no answer by it alone.
    """
    floor = _best(present, "lexical") * WORDS_SHARE
    return {
        one.id
        for one in present
        if one.kind == "item"
        and 0 < one.signals["lexical"] >= floor
        and (not asked.terms or not terms.isdisjoint(tokenize(f"{one.category} {one.text}")))
    }


def _answers(item: Candidate, asked: Asked) -> bool:
    """Whether it is the one value of a slot that was asked for, or guards its person."""
    if item.slot in NEVER_OUTDATED:
        return asked.covers(item.slot)
    return item.slot in asked.slots and not holds_several(item.slot)


def _similar(items: Sequence[Candidate]) -> set[UUID]:
    floor = max(MIN_COSINE, _best(items, "semantic") * COSINE_SHARE)
    return {one.id for one in items if one.signals["semantic"] >= floor}


def _messages(present: Sequence[Candidate]) -> set[UUID]:
    """Of messages, and of events, those that come near the best of their kind."""
    best = {kind: max((one.score for one in present if one.kind == kind), default=0.0) for kind in ("event", "turn")}
    return {
        one.id for one in present if one.kind in best and _touches(one) and one.score >= best[one.kind] * SCORE_SHARE
    }


def _touches(said: Candidate) -> bool:
    return said.signals["lexical"] > 0 or said.signals["semantic"] >= MIN_COSINE


def _best(candidates: Iterable[Candidate], signal: str) -> float:
    return max((one.signals[signal] for one in candidates), default=0.0)
