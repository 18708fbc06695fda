"""The door every text passes before it is stored, queued, logged or sent to a model (C-7)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from consent.exceptions import SensitiveInput
from consent.sensitive.classifier import classify
from consent.sensitive.detectors.english_names import called
from consent.sensitive.policy import Policy, policy_for
from consent.sensitive.types import Finding, Kind

SAID: Final = "content"
"""The field of what somebody says, to the assistant or of themselves."""


@dataclass(frozen=True, slots=True)
class Screened:
    """A text that may be kept, and the kinds that were masked in it, in order of their first appearance."""

    text: str
    masked: tuple[Kind, ...] = ()


def screened(field: str, text: str, known_names: Collection[str] = ()) -> Screened:
    """``text`` as it may be stored in ``field``, with fragments masked where the field's policy says so.

    ``known_names`` are the display names of the person and of the speakers, which are no secrets; nor is what somebody
    asks, in what they say, to be called. Raises
    ``SensitiveInput`` where a fragment is to be refused: it names field, kinds and offsets, never the words.
    Screening what was screened changes nothing.
    """
    names = [*known_names, *called(text)] if field == SAID else known_names
    found = _unknown(text, classify(text), names)
    findings = [finding for finding in found if policy_for(field, finding.kind) is not Policy.KEEP]
    refused = [finding for finding in findings if policy_for(field, finding.kind) is Policy.REJECT]
    if refused:
        raise SensitiveInput(field, refused)
    return Screened(_masked(text, findings), _kinds(findings))


def redacted(text: str) -> str:
    """``text`` with every finding masked, whatever the field: fit to be shown beside a refusal."""
    return _masked(text, classify(text))


def _unknown(text: str, findings: Sequence[Finding], known_names: Collection[str]) -> list[Finding]:
    known = {name.casefold() for name in known_names}
    return [
        finding
        for finding in findings
        if finding.kind is not Kind.PERSONAL_NAME or text[finding.start : finding.end].casefold() not in known
    ]


def _masked(text: str, findings: Sequence[Finding]) -> str:
    pieces, read = [], 0
    for finding in findings:
        pieces += [text[read : finding.start], f"[redacted:{finding.kind}]"]
        read = finding.end
    return "".join([*pieces, text[read:]])


def _kinds(findings: Sequence[Finding]) -> tuple[Kind, ...]:
    return tuple(dict.fromkeys(finding.kind for finding in findings))
