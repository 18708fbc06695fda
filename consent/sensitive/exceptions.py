"""Defines the error that refuses sensitive input; it gives kind and place, and never repeats the words."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from consent.sensitive.types import KIND_NAMES, Finding
from foundation.exceptions import FinClawError


class SensitiveInput(FinClawError):
    """A field holds sensitive text. ``details``: the field, the kinds, and ``[start, end)`` in code points."""

    code = "sensitive_input"

    def __init__(self, field: str, findings: Sequence[Finding]) -> None:
        kinds = list(dict.fromkeys(finding.kind for finding in findings))
        spans = [[finding.start, finding.end] for finding in findings]
        self.named = _(", ").join(str(KIND_NAMES[kind]) for kind in kinds)
        sentence = _(
            "Nothing of this was saved: it seems to hold what is never written down here (%(what)s). Take that out "
            "and try again."
        )
        details = {"field": field, "kinds": [kind.value for kind in kinds], "spans": spans}
        super().__init__(sentence % {"what": self.named}, details)
