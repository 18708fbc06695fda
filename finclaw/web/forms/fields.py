"""A form field for free text that the browser never cuts."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _


class WordsField(forms.CharField):
    """Several lines of free text.

    Too long a text is refused with its length and given back whole: with ``maxlength`` the browser would silently cut
    pasted text. A line end counts as one character.
    """

    widget = forms.Textarea
    default_error_messages: ClassVar[dict[str, Any]] = {
        "max_length": _("This is too long: %(show_value)d characters, and %(limit_value)d fit."),
    }

    def to_python(self, value: Any) -> Any:
        """The text with a browser's line ends normalized."""
        text = super().to_python(value)
        return text.replace("\r\n", "\n") if isinstance(text, str) else text

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {name: value for name, value in super().widget_attrs(widget).items() if name != "maxlength"}
