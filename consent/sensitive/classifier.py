"""The sensitive input classifier: a text in, offsets of findings out. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from operator import attrgetter

from consent.sensitive.detectors import GROUPS, NAMES
from consent.sensitive.text_folding import fold_text
from consent.sensitive.types import Finding, SensitiveKind
from foundation.sanitization.disguises import decoded_runs

_RANK = {kind: rank for rank, kind in enumerate(SensitiveKind)}  # kinds are declared gravest first


def classify_sensitive(text: str) -> tuple[Finding, ...]:
    """The sensitive findings in ``text``, in order and without overlaps; offsets are code points of ``text``.

    Where two findings overlap, the graver kind wins, then the longer finding. Base64 and hexadecimal are decoded, and
    searched too.
    """
    folded = fold_text(text)
    names = (finding for detect in NAMES for finding in detect(folded.text))
    found = [*_detected(folded.text), *names, *_encoded(folded.text)]
    return tuple(folded.in_original(finding) for finding in _without_overlaps(found))


def _detected(text: str) -> Iterator[Finding]:
    tried = (detect for hint, detectors in GROUPS if hint.search(text) for detect in detectors)
    return (finding for detect in tried for finding in detect(text))


def _encoded(text: str) -> Iterator[Finding]:
    """Encoded runs whose content is sensitive; they are not searched for names."""
    for start, end, content in decoded_runs(text):
        kinds = {finding.kind for finding in _detected(content)}
        if kinds:
            yield Finding(min(kinds, key=_RANK.__getitem__), start, end)


def _without_overlaps(found: Iterable[Finding]) -> list[Finding]:
    kept: list[Finding] = []  # in the order of the text
    for finding in sorted(found, key=lambda finding: (_RANK[finding.kind], finding.start - finding.end, finding.start)):
        at = bisect_left(kept, finding.end, key=attrgetter("start"))
        if not at or kept[at - 1].end <= finding.start:
            kept.insert(at, finding)
    return kept
