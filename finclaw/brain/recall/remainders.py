"""What is left of a recalled message without the sentences that no longer hold: one of them silences no other. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from finclaw.brain.types import PromptCandidate
from memory.erasure.sentence_cuts import DisclosureTest, cut_sentences, remaining_texts
from memory.evolution.supposition import is_supposition
from memory.historian.anaphora import points_back
from memory.mentions import core_terms

SUPERSEDED: Final = "superseded"
"""The receipt's reason for a message that no longer holds, and the guardrail on its line where the rest is shown."""


def without_ended(message: PromptCandidate, has_ended: DisclosureTest, terms: Collection[str]) -> PromptCandidate:
    """The message without the sentences of which ``has_ended`` is true, if the rest answers a query of these terms.

    Else, and where no sentence is found, the whole message is past. A sentence that takes its meaning from one that is
    cut goes too.
    """
    told = [message.text]
    left = remaining_texts(cut_sentences(told, _with_followers(has_ended)), told)[0].strip()
    if left == message.text.strip() or core_terms(left).isdisjoint(terms):
        return replace(message, past=True)
    # What is left was not judged when it was stored: whoever puts it into a prompt reads it anew.
    return replace(message, text=left, past=False, passes=False, supposed=is_supposition(left), guardrail=SUPERSEDED)


def _with_followers(has_ended: DisclosureTest) -> DisclosureTest:
    """The test for sentences in their order, also true of one that points back to a sentence for which it was."""
    was_cut = False

    def is_cut(sentence: str) -> bool:
        nonlocal was_cut
        was_cut = has_ended(sentence) or (was_cut and points_back(sentence))
        return was_cut

    return is_cut
