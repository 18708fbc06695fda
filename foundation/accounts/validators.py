"""Which characters a user name or display name may hold."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from foundation.text.confusables import has_invisible, mixes_scripts


def validate_characters(name: str) -> None:
    """Refuse invisible characters, and words that mix scripts to look like others."""
    if has_invisible(name):
        raise ValidationError(_("This name holds a character that cannot be seen."), code="invisible")
    if mixes_scripts(name):
        raise ValidationError(_("This name mixes alphabets within a word."), code="mixed_scripts")
