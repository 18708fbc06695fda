"""Fixed texts of research results, in both languages, the same for everybody."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from finclaw.brain.material.citations import names_source
from foundation.language import Language
from foundation.lexicon import read_lexicon
from memory.research.types import ResearchStatement

_SENTENCES: Final = read_lexicon(__file__).by_language("sentences")


def phrase(language: Language, key: str, **values: object) -> str:
    """A fixed text, filled in. Raises ``KeyError`` for an unknown key."""
    return str(_SENTENCES[language][key]).format(**values)


@dataclass(frozen=True)
class EvidenceQuality:
    """What there is to say about the quality of a result: its ``evidence``, whether the result ``shows`` it, whether
    all or part was made ``by_rule``, and how many statements were left out, and why.
    """

    evidence: Sequence[ResearchStatement]
    shows: bool
    by_rule: bool
    partly_by_rule: bool
    unfounded: int = 0
    postdated: int = 0
    too_long: int = 0
    ungrouped: int = 0
    as_of: str = ""


def quality_note(language: Language, quality: EvidenceQuality) -> str:
    """The quality of the evidence in sentences, by counting; no preference enters it."""
    said = partial(phrase, language)
    notes = [*_evidence_sentences(language, quality)]
    if quality.by_rule or quality.partly_by_rule:
        notes.append(said("by_rule" if quality.by_rule else "partly_by_rule"))
    if quality.too_long:
        notes.append(said("one_cut" if quality.too_long == 1 else "cut", count=quality.too_long))
    if quality.by_rule and quality.ungrouped:
        notes.append(said("one_aside" if quality.ungrouped == 1 else "aside", count=quality.ungrouped))
    if quality.unfounded:
        notes.append(said("unfounded", count=quality.unfounded))
    if quality.postdated:
        notes.append(said("later", count=quality.postdated, as_of=quality.as_of))
    return ("" if language == "zh" else " ").join(notes)


def _evidence_sentences(language: Language, quality: EvidenceQuality) -> Iterator[str]:
    if quality.by_rule and not quality.evidence:
        yield phrase(language, "nothing")
        return
    dated = sum(statement.dated_at is not None for statement in quality.evidence)
    sourced = sum(names_source(statement.text) for statement in quality.evidence)
    made = "made_of" if quality.by_rule else "by_model"
    yield phrase(language, made, count=len(quality.evidence), dated=dated, sourced=sourced)
    if quality.evidence and not quality.shows:
        yield phrase(language, "not_shown")
