"""A form that shows why a service refused what was written in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final, TypeVar

from django import forms
from django.utils.translation import gettext_lazy as _

from consent.exceptions import ConsentOutdated, ConsentScopeMissing, ProfileConsentRequired
from consent.sensitive.exceptions import SensitiveInput
from finclaw.brain.boundary import BoundaryRefused
from finclaw.brain.skills.permissions import SkillNotPermitted
from finclaw.brain.skills.wording import phrase
from finclaw.web.forms.fields import WordsField
from foundation.exceptions import FinClawError, ValidationFailed
from foundation.language import language_of
from memory.exceptions import FinancialConfirmationRequired, ThreadClosed

Done = TypeVar("Done")
# Errors the user can fix in the form; any other is shown as an error page.
REFUSALS: Final = (ValidationFailed, SensitiveInput, BoundaryRefused, SkillNotPermitted, ConsentOutdated,
                   ConsentScopeMissing, ProfileConsentRequired, FinancialConfirmationRequired,
                   ThreadClosed)  # fmt: skip


class RefusableForm(forms.Form):
    """A form whose text a service may refuse; ``renamed`` maps form fields to the service's names."""

    renamed: ClassVar[dict[str, str]] = {"thread_id": "thread"}

    def attempt(self, act: Callable[[], Done]) -> Done | None:
        """The result of ``act``; None where the form is invalid or was refused, with the reason on it."""
        if not self.is_valid():
            return None
        try:
            return act()
        except REFUSALS as error:
            self._explain(error)
            return None

    def _explain(self, error: FinClawError) -> None:
        if isinstance(error, ValidationFailed) and error.details:
            for name, sentences in error.details.items():
                self._refuse(name, sentences)
        elif isinstance(error, FinancialConfirmationRequired):
            self._refuse("confirm_financial", [_("Say yes to keeping this, or leave the fields empty.")])
        elif isinstance(error, BoundaryRefused):
            self._refuse("", [phrase(language_of(self._words()), "never_acts")])
        else:
            self._refuse(str(error.details.get("field", "")), [error.message])

    def _words(self) -> str:
        """The text typed by the user, whose language a refusal is written in."""
        written = (self.cleaned_data.get(name) for name, field in self.fields.items() if isinstance(field, WordsField))
        return "\n".join(words for words in written if isinstance(words, str))

    def _refuse(self, name: str, sentences: Iterable[Any]) -> None:
        name = self.renamed.get(name, name)
        for sentence in sentences:
            self.add_error(name if name in self.fields else None, sentence)
