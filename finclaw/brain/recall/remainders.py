"""Cuts from a recalled message the sentences that no longer hold, and keeps the others. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from finclaw.brain.types import PromptCandidate
from memory.erasure.sentence_cuts import DisclosureTest, cut_sentences, remaining_texts
from memory.evolution.supposition import is_supposition
from memory.historian.anaphora import has_anaphora
from memory.mentions import core_terms

SUPERSEDED: Final = "superseded"
"""The receipt's reason for a message that no longer holds, and the guardrail on its line where the rest is shown."""


def without_ended(message: PromptCandidate, has_ended: DisclosureTest, terms: Collection[str]) -> PromptCandidate:
    """The message without the sentences of which ``has_ended`` is true, if the rest answers a query of these terms.

    If it does not, or if there is no such sentence, the whole message is marked past. A sentence that refers back to
    one that is cut is cut, too.
    """
    told = [message.text]
    left = remaining_texts(cut_sentences(told, _with_followers(has_ended)), told)[0].strip()
    if left == message.text.strip() or core_terms(left).isdisjoint(terms):
        return replace(message, is_past=True)
    # The stored verdict was on the whole text: what is left is sanitized again before it enters a prompt.
    return replace(
        message, text=left, is_past=False, is_prechecked=False, is_supposed=is_supposition(left), guardrail=SUPERSEDED
    )


def _with_followers(has_ended: DisclosureTest) -> DisclosureTest:
    """The test, for sentences taken in order, that is also true of a sentence referring back to one that was cut."""
    was_cut = False

    def is_cut(sentence: str) -> bool:
        nonlocal was_cut
        was_cut = has_ended(sentence) or (was_cut and has_anaphora(sentence))
        return was_cut

    return is_cut
