"""Sanitizes recalled texts on their way into the prompt; stored rows stay unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from finclaw.brain.prompt.memory_lines import memory_tokens
from finclaw.brain.types import PromptCandidate
from foundation.sanitization.services import sanitize, sanitize_lines, sanitized_texts
from foundation.sanitization.types import SafeText, SanitizationResult
from knowledge.types import Snippet

MODEL_RULE: Final = "model"
"""The guardrail of a text that a model found manipulative, in the background, after it was stored."""


def sanitize_candidates(candidates: Iterable[PromptCandidate]) -> tuple[PromptCandidate, ...]:
    """The candidates with sanitized texts and the outcome of each, by the rules and the verdicts stored with them."""
    return tuple(map(_sanitize_candidate, candidates))


def sanitize_snippets(snippets: Sequence[Snippet]) -> tuple[Snippet, ...]:
    """The organisation's snippets, sanitized alike; blocked ones are left out."""
    found = [(snippet, sanitize(snippet.text)) for snippet in snippets]
    return tuple(
        replace(snippet, text=clean.text) for snippet, clean in found if clean.result is not SanitizationResult.BLOCKED
    )


def sanitize_entities(slots: Mapping[str, Sequence[str]]) -> dict[SafeText, tuple[SafeText, ...]]:
    """Entity slots with sanitized names and values."""
    named = ((sanitize(name).text, sanitized_texts(values)) for name, values in slots.items())
    return {name: values for name, values in named if name}


def sanitize_context(stated: Mapping[str, str]) -> dict[str, SafeText]:
    """The stated fields, sanitized."""
    found = ((name, sanitize(value).text) for name, value in stated.items())
    return {name: value for name, value in found if value}


def _sanitize_candidate(candidate: PromptCandidate) -> PromptCandidate:
    if candidate.manipulative:
        return replace(candidate, sanitization=SanitizationResult.BLOCKED.value, guardrail=MODEL_RULE)
    if candidate.is_prechecked:
        return replace(candidate, sanitization=SanitizationResult.PASS.value)
    found = sanitize_lines(candidate.text) if candidate.kind == "profile" else sanitize(candidate.text)
    # A blocked candidate keeps its text, so that the receipt can show what was left out.
    text = candidate.text if found.result is SanitizationResult.BLOCKED else found.text
    changed = replace(
        candidate, text=text, sanitization=found.result.value, guardrail=found.rule or candidate.guardrail
    )
    return changed if text == candidate.text else replace(changed, tokens=memory_tokens(changed))
