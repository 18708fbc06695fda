"""Forms of the operators' pages that take no text which nobody should keep, or which no prompt may hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from foundation.admin import DuplicateLinkForm
from foundation.exceptions import FinClawError
from knowledge.services import require_safe_text


class ScreenedForm(DuplicateLinkForm):
    """A form that screens the fields named in ``screened`` as ``require_safe_text`` does."""

    screened: ClassVar[Sequence[str]] = ()

    def clean(self) -> dict[str, Any]:
        """Refuse sensitive text, which every member would read, and orders to the assistant."""
        given: dict[str, Any] = super().clean() or self.cleaned_data
        for name in self.screened:
            try:
                require_safe_text(given.get(name, ""))
            except FinClawError as refused:
                self.add_error(name, refused.message)
        return given
