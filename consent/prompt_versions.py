"""Writes versions of the prompt: operators do so, in plain words within a limit, and each is recorded for good."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.db import connection, transaction
from django.db.models import Max
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consent.models import AuditEvent, PromptGuide, PromptVersion
from consent.models.prompt_versions import FIRST_NUMBER
from consent.sensitive.services import screen_text
from foundation.accounts.models import User
from foundation.database.acting_user import in_role, on_behalf_of
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import FinClawError, ValidationFailed
from foundation.sanitization.operator_instructions import REFERABLE_TAGS, InstructionFlaw, instruction_flaw

MAY_WRITE: Final = "consent.add_promptversion"
_NOTE_LENGTH: Final = 200
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")
_NUMBERING: Final = "SELECT pg_advisory_xact_lock(hashtextextended('consent.prompt_versions', 0))"
_FLAWS: Final[Mapping[InstructionFlaw, Promise]] = {
    InstructionFlaw.EMPTY: gettext_lazy("Nothing is written here."),
    InstructionFlaw.BRACKET: gettext_lazy("Angle brackets are not allowed: write plain words."),
    InstructionFlaw.REFERENCE: gettext_lazy("In braces stand only the names of tags: %(names)s."),
    InstructionFlaw.UNSEEN: gettext_lazy("It holds characters that show nothing."),
    InstructionFlaw.PAYLOAD: gettext_lazy("It holds code or filler."),
    InstructionFlaw.ORDER: gettext_lazy("It tells the model to leave its rules."),
}


class PromptNotAllowed(FinClawError):
    """The operator's role does not write versions of the prompt."""

    code = "permission_denied"
    default_message = "You may not do this."


@dataclass(frozen=True)
class PromptVersionDraft:
    """A version as an operator wrote it: the ``guides`` that differ from the shipped ones, by name."""

    guides: Mapping[str, str]
    note: str
    based_on: str
    shipped: str


@transaction.atomic
def write_prompt_version(operator: User, draft: PromptVersionDraft) -> PromptVersion:
    """Store a version under the next number. Nobody is answered by it before an experiment names it.

    Raises ``PromptNotAllowed``, ``SensitiveInput`` for personal data in it, and ``ValidationFailed``.
    """
    if not (operator.is_staff and operator.has_perm(MAY_WRITE)):
        raise PromptNotAllowed()
    note, guides = draft.note.strip(), {name: text.strip() for name, text in draft.guides.items()}
    if not 0 < len(note) <= _NOTE_LENGTH:
        raise ValidationFailed(details={"note": [_("Say in up to 200 characters what is different, and why.")]})
    _require_fit(guides)
    screen_text("prompt_version_note", note)
    for text in guides.values():
        screen_text("prompt_guide", text)
    with in_role(OPERATOR_ROLE):
        version = PromptVersion.objects.create(
            number=_next_number(guides),
            guides=guides,
            note=note,
            based_on=draft.based_on,
            shipped=draft.shipped,
            created_by=operator.pk,
        )
    _audit(version, operator)
    return version


def stored_version(version: str) -> PromptVersion | None:
    """The version that operators wrote under this number, spelt as receipts and experiments spell it; None for none."""
    if not _NUMBER.fullmatch(version):
        return None
    return PromptVersion.objects.filter(number=int(version)).first()


def _require_fit(guides: Mapping[str, str]) -> None:
    """Raise ``ValidationFailed`` with a sentence for each text that may not instruct a model, or for none at all."""
    if not guides or not set(guides) <= set(PromptGuide.values):
        raise ValidationFailed(_("A version changes at least one guide."))
    names = {"names": ", ".join(f"{{{tag}}}" for tag in sorted(REFERABLE_TAGS))}
    flaws = {name: flaw for name, text in guides.items() if (flaw := instruction_flaw(text)) is not None}
    if flaws:
        raise ValidationFailed(details={name: [str(_FLAWS[flaw]) % names] for name, flaw in flaws.items()})


def _next_number(guides: Mapping[str, str]) -> int:
    """The number of the next version, locked until the transaction ends. Raises ``ValidationFailed`` for one that there
    is already.
    """
    with connection.cursor() as cursor:
        cursor.execute(_NUMBERING)
    twin = PromptVersion.objects.filter(guides=guides).first()
    if twin is not None:
        raise ValidationFailed(_("Version %(number)s reads the same.") % {"number": twin.number})
    last: int | None = PromptVersion.objects.aggregate(last=Max("number"))["last"]
    return FIRST_NUMBER if last is None else last + 1


def _audit(version: PromptVersion, operator: User) -> None:
    with on_behalf_of(operator.pk):
        AuditEvent.objects.create(
            user_id=operator.pk,
            actor_id=operator.pk,
            action="prompt_version.written",
            subject_id=version.pk,
            counts={"number": version.number, "guides": len(version.guides)},
        )
