"""Shows the refusal of a service in a form: its message above, and each sentence beside the field that it is about."""

from __future__ import annotations

from typing import Any

from django.forms import BaseForm

from foundation.exceptions import FinClawError, refusal_sentences


def show_refusal(form: BaseForm, refusal: FinClawError) -> None:
    """Add the refusal's sentences to a form that is being cleaned."""
    above: list[Any] = [refusal.message]
    for field, reason in refusal_sentences(refusal):
        if field in form.fields:
            form.add_error(field, reason)
        else:
            above.append(f"{field}: {reason}")
    form.add_error(None, above)
