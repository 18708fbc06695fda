"""Screen text for sensitive input before it is stored, queued, logged or sent to a model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from consent.sensitive.classifier import classify_sensitive
from consent.sensitive.detectors.english_names import preferred_names
from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.policy import SensitivePolicy, policy_for
from consent.sensitive.types import Finding, SensitiveKind

SAID: Final = "content"
"""The field name for what users say, to the assistant or about themselves."""


@dataclass(frozen=True, slots=True)
class ScreenedText:
    """A text that may be kept, and the kinds that were masked in it, in order of their first appearance."""

    text: str
    masked: tuple[SensitiveKind, ...] = ()


def screen_text(field: str, text: str, known_names: Collection[str] = ()) -> ScreenedText:
    """``text`` as it may be stored in ``field``, with fragments masked where the field's policy says so.

    ``known_names`` are the display names of the person and of the speakers, which are not secret; neither is a name by
    which somebody asks to be called in the text. Raises ``SensitiveInput`` where a fragment must be refused: it names
    field, kinds and offsets, never the words. Screening a screened text again changes nothing.
    """
    names = [*known_names, *preferred_names(text)] if field == SAID else known_names
    found = _without_known_names(text, classify_sensitive(text), names)
    findings = [finding for finding in found if policy_for(field, finding.kind) is not SensitivePolicy.KEEP]
    refused = [finding for finding in findings if policy_for(field, finding.kind) is SensitivePolicy.REJECT]
    if refused:
        raise SensitiveInput(field, refused)
    return ScreenedText(_mask(text, findings), _distinct_kinds(findings))


def redact_text(text: str) -> str:
    """``text`` with every finding masked, whatever the field: safe to show beside a refusal."""
    return _mask(text, classify_sensitive(text))


def _without_known_names(text: str, findings: Sequence[Finding], known_names: Collection[str]) -> list[Finding]:
    known = {name.casefold() for name in known_names}
    return [
        finding
        for finding in findings
        if finding.kind is not SensitiveKind.PERSONAL_NAME or text[finding.start : finding.end].casefold() not in known
    ]


def _mask(text: str, findings: Sequence[Finding]) -> str:
    pieces, read = [], 0
    for finding in findings:
        pieces += [text[read : finding.start], f"[redacted:{finding.kind}]"]
        read = finding.end
    return "".join([*pieces, text[read:]])


def _distinct_kinds(findings: Sequence[Finding]) -> tuple[SensitiveKind, ...]:
    return tuple(dict.fromkeys(finding.kind for finding in findings))
