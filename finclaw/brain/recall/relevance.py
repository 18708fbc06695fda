"""Decides which candidates are relevant to a message: by shared words, by meaning, or as the value of a requested slot.
Pure.

A floor relative to the best score leaves out what merely shares a word with a message that something else fits well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from uuid import UUID

from finclaw.brain.recall.remainders import SUPERSEDED, without_ended
from finclaw.brain.recall.restatement import find_restatements, may_contradict
from finclaw.brain.routing_parameters import USUAL_ROUTING, RecallThresholds
from finclaw.brain.types import PromptCandidate
from finclaw.brain.understanding.question_slots import RequestedSlots
from foundation.language import split_sentences, statements_in, without_quoted_questions
from foundation.text import is_only_about_answer_style, tokenize
from memory.evolution.slots import HOW_TO_ANSWER, holds_several
from memory.evolution.style_commands import is_style_command
from memory.governance.staleness import NEVER_OUTDATED


def judge_relevance(
    candidates: Sequence[PromptCandidate],
    requested: RequestedSlots,
    terms: Collection[str],
    thresholds: RecallThresholds = USUAL_ROUTING.thresholds,
) -> list[PromptCandidate]:
    """The candidates for a query with these index ``terms``, each marked relevant or not, and past or not.

    A match by words or by slot beats mere similarity, which beats the rest of a list: "Is jazz among what I like?"
    lists all likes only where nothing mentions jazz. What replaced a relevant message is relevant too. Messages that
    only asked something answer nothing; reply-style preferences answer no question about likes; a one-time style
    request applied only where it was made.
    """
    anew = find_restatements(candidates)
    known = _without_restated(candidates, anew, requested, terms)
    telling = [candidate for candidate in known if requested.about_questions or _is_informative(candidate, terms)]
    telling = [candidate for candidate in telling if not _is_unasked_style(candidate, requested, frozenset(terms))]
    telling = [candidate for candidate in telling if not _is_style_request(candidate, requested)]
    bears = _relevant_ids(
        [candidate for candidate in telling if requested.about_past or not candidate.is_past],
        requested,
        frozenset(terms),
        thresholds,
    )
    near = _near_messages(telling, thresholds) if anew else set()
    bears |= {later for older, later in anew.items() if older in near}
    return [_with_verdict(candidate, requested, bears=candidate.id in bears) for candidate in known]


def _without_restated(
    candidates: Sequence[PromptCandidate],
    anew: Mapping[UUID, UUID],
    requested: RequestedSlots,
    terms: Collection[str],
) -> list[PromptCandidate]:
    """The candidates. A message that a later one restates (``anew``: its id to the later's) loses the sentences that
    no longer hold; for a query about the past it stays whole, and is marked past.
    """
    texts = {candidate.id: candidate.text for candidate in candidates}
    return [
        candidate
        if candidate.id not in anew
        else replace(candidate, is_past=True)
        if requested.about_past
        else without_ended(candidate, partial(may_contradict, texts[anew[candidate.id]]), terms)
        for candidate in candidates
    ]


def _is_informative(candidate: PromptCandidate, terms: Collection[str]) -> bool:
    """Whether the candidate says anything in reply to a query of these index ``terms``: a message that only asked does
    not, nor an event that shares only a quoted word with the query.
    """
    if candidate.kind == "turn":
        return bool(statements_in(candidate.text))
    told = without_quoted_questions(candidate.text) if candidate.kind == "event" else candidate.text
    return told == candidate.text or not set(terms).isdisjoint(tokenize(told))


def _is_unasked_style(candidate: PromptCandidate, requested: RequestedSlots, terms: frozenset[str]) -> bool:
    """Whether the candidate is only a reply-style preference, in a query for something else that shares no content word
    with it.
    """
    is_item = candidate.kind == "item"
    is_manner = candidate.slot in HOW_TO_ANSWER if is_item else is_only_about_answer_style(candidate.text)
    is_other = bool(requested.slots) and not any(map(requested.covers, (candidate.slot, *HOW_TO_ANSWER)))
    return is_manner and is_other and terms.intersection(tokenize(candidate.text)) <= requested.frame


def _is_style_request(candidate: PromptCandidate, requested: RequestedSlots) -> bool:
    """Whether the candidate is a message that only told the assistant how to speak, in a query that does not ask about
    that.
    """
    if candidate.kind != "turn" or requested.about_questions or any(map(requested.covers, HOW_TO_ANSWER)):
        return False
    return all(map(is_style_command, split_sentences(candidate.text) or [candidate.text]))


def _with_verdict(candidate: PromptCandidate, requested: RequestedSlots, *, bears: bool) -> PromptCandidate:
    asked_for = bears and candidate.kind == "item" and requested.covers(candidate.slot)
    return replace(candidate, relevant=bears, is_asked_for=asked_for, left_out=_exclusion_reason(candidate, requested))


def _exclusion_reason(candidate: PromptCandidate, requested: RequestedSlots) -> str:
    """Why an outdated candidate is left out, or "": past ones are shown, marked, to a query about the past."""
    return SUPERSEDED if candidate.is_past and not requested.about_past else ""


def _relevant_ids(
    present: Sequence[PromptCandidate], requested: RequestedSlots, terms: frozenset[str], thresholds: RecallThresholds
) -> set[UUID]:
    items = [candidate for candidate in present if candidate.kind == "item"]
    shared = _shared_terms(items, requested, terms)
    bears = (
        _matching_by_words(present, shared, requested, thresholds)
        | {memory.id for memory in items if _answers_slot(memory, requested)}
        | _near_messages(present, thresholds)
    )
    listed = {memory.id for memory in items if requested.covers(memory.slot) and holds_several(memory.slot)}
    settled = any(memory.id in bears and memory.id not in listed and requested.covers(memory.slot) for memory in items)
    if requested.is_open and not settled:
        bears |= listed & shared.keys()
    if not bears:
        bears |= _similar_ids(items, thresholds)
    if bears.isdisjoint(memory.id for memory in items):
        bears |= {memory.id for memory in items if requested.covers(memory.slot)}
    return bears


def _shared_terms(
    items: Sequence[PromptCandidate], requested: RequestedSlots, terms: frozenset[str]
) -> dict[UUID, frozenset[str]]:
    """The items that share words with the query, and which. Words matched only through an item's label do not count."""
    found = [memory for memory in items if memory.signals["lexical"] > 0]
    shared = {memory.id: terms.intersection(tokenize(f"{memory.category} {memory.text}")) for memory in found}
    return {item: words for item, words in shared.items() if words or not requested.terms}


def _matching_by_words(
    present: Sequence[PromptCandidate],
    shared: Mapping[UUID, frozenset[str]],
    requested: RequestedSlots,
    thresholds: RecallThresholds,
) -> set[UUID]:
    """Items that share more than frequent or framing words: for "Do I like sushi?" no other liking competes with one of
    sushi, and no liking answers "What do I dislike?".
    """
    floor = _best_signal(present, "lexical") * thresholds.words_share
    near = {candidate.id for candidate in present if candidate.id in shared and candidate.signals["lexical"] >= floor}
    fitting = {candidate.id for candidate in present if requested.is_open and requested.covers(candidate.slot)}
    return {
        candidate_id for candidate_id in near if candidate_id in fitting or not shared[candidate_id] <= requested.frame
    } or near


def _answers_slot(item: PromptCandidate, requested: RequestedSlots) -> bool:
    """Whether the item is the single value of a requested slot, or a safety constraint of the user."""
    if item.slot in NEVER_OUTDATED:
        return requested.covers(item.slot)
    return item.slot in requested.slots and not holds_several(item.slot)


def _similar_ids(items: Sequence[PromptCandidate], thresholds: RecallThresholds) -> set[UUID]:
    floor = max(thresholds.cosine, _best_signal(items, "semantic") * thresholds.cosine_share)
    return {memory.id for memory in items if memory.signals["semantic"] >= floor}


def _near_messages(present: Sequence[PromptCandidate], thresholds: RecallThresholds) -> set[UUID]:
    """Messages, events and passages of files with a score near the best of their kind."""
    best = {
        kind: max((candidate.score for candidate in present if candidate.kind == kind), default=0.0)
        for kind in ("event", "turn", "document")
    }
    return {
        candidate.id
        for candidate in present
        if candidate.kind in best
        and _shares_meaning(candidate, thresholds)
        and candidate.score >= best[candidate.kind] * thresholds.score_share
    }


def _shares_meaning(said: PromptCandidate, thresholds: RecallThresholds) -> bool:
    return said.signals["lexical"] > 0 or said.signals["semantic"] >= thresholds.cosine


def _best_signal(candidates: Iterable[PromptCandidate], signal: str) -> float:
    return max((candidate.signals[signal] for candidate in candidates), default=0.0)
