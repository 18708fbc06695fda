"""Reads and writes persona documents."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple, Self
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from consent.permit import Permit
from consent.sensitive.detectors.english_names import preferred_names
from consent.sensitive.services import screen_text
from consent.sensitive.types import SensitiveKind as Sensitive
from consent.services import hold_permit, permit_for
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import ValidationFailed
from foundation.personal_data import ConsentScope
from personas.configuration import DEFAULTS
from personas.models import PersonaDocument, UserDocument
from personas.models.documents import MAX_CHARS
from personas.types import DocumentKind, PersonaText, PersonaTexts

FIELD: Final = "persona_document"  # what the policy on sensitive input calls the text
_CORE: Final[tuple[DocumentKind, ...]] = ("soul", "identity")


class CoreDocumentRow(NamedTuple):
    """A version of an organisation's document, or everybody's without ``tenant_id``; the text is cached by version."""

    kind: str
    id: UUID
    version: int
    updated_at: datetime
    tenant_id: UUID | None

    @classmethod
    def told(cls, kind: str, key: str, version: int, updated_at: str, tenant_id: str | None) -> Self:
        """From a row of JSON."""
        return cls(kind, UUID(key), version, datetime.fromisoformat(updated_at), UUID(tenant_id) if tenant_id else None)


def core_documents(rows: Iterable[CoreDocumentRow]) -> dict[DocumentKind, PersonaText]:
    """SOUL and IDENTITY of ``rows``: an organisation's before the default ones, else the shipped text."""
    found = {kind: _shipped_document(kind) for kind in _CORE}
    for row in sorted(rows, key=lambda row: row.tenant_id is not None):
        body = _document_body(row.id, row.version)
        if body:
            found[_core_kind(row.kind)] = PersonaText(_core_kind(row.kind), body, row.version, row.updated_at)
    return found


def documents_for(permit: Permit, user: User) -> PersonaTexts:
    """The persona documents for a user, and their own USER document, empty without ``save_to_profile``.

    Of SOUL and IDENTITY their organisation's counts, else everybody's, else the text FinClaw ships with. Call in a
    transaction acting for the person.
    """
    rows = PersonaDocument.objects.filter(Q(tenant_id=user.tenant_id) | Q(tenant=None))
    told = rows.values_list("kind", "pk", "version", "updated_at", "tenant_id")
    core = core_documents(CoreDocumentRow(*row) for row in told)
    return PersonaTexts(core["soul"], core["identity"], _user_document(permit))


def write_user_document(permit: Permit, user: User, body: str) -> PersonaText:
    """Store the user's USER document as a new version; an empty text deletes it with all versions.

    Call in a transaction acting for them. Raises ``ConsentScopeMissing``, ``ConsentOutdated``, ``ErasureInProgress``,
    ``SensitiveInput``, and ``ValidationFailed`` for a text that is too long.
    """
    permit.require(ConsentScope.SAVE_TO_PROFILE)
    text = _screened_body(body, names_allowed_in(user, body))
    with transaction.atomic():
        hold_permit(permit)
        row = UserDocument.objects.select_for_update().filter(user_id=permit.user_id).first()
        if not text:
            if row is not None:
                row.delete()
            return PersonaText("user")
        if row is None or row.body != text:
            row = row or UserDocument(user_id=permit.user_id, version=0)
            row.body, row.version, row.consent_version = text, row.version + 1, permit.version
            row.save()
    return _as_document(row)


def names_allowed_in(user: User, body: str) -> list[str]:
    """The names that are not sensitive in a user's own text: their display name, and what they want to be called."""
    return [user.name, *preferred_names(body)]


def masked_kinds(user: User, body: str) -> tuple[Sensitive, ...]:
    """What ``write_user_document`` masks in a text, in order of its first appearance. Raises ``SensitiveInput``."""
    return screen_text(FIELD, body, names_allowed_in(user, body)).masked


def save_document(document: PersonaDocument) -> PersonaDocument:
    """Store an organisation's document: screened, as a new version.

    Call in the operators' role. Raises ``SensitiveInput``, and ``ValidationFailed`` for an empty or oversized text.
    """
    document.body = _screened_body(document.body)
    if not document.body:
        raise ValidationFailed(details={"body": [_("Write something, or delete the document.")]})
    with transaction.atomic():
        if not document._state.adding:
            # The stored version, because a change meanwhile took the number after the one that was read.
            stored = PersonaDocument.objects.select_for_update().values_list("version", flat=True)
            document.version = stored.get(pk=document.pk) + 1
        document.save()
    return document


def import_documents(folder: Path, *, tenant: Tenant | None = None, user: User | None = None) -> list[str]:
    """Import SOUL.md, IDENTITY.md and USER.md of a folder; returns the names of those found.

    The first two become the tenant's or, without one, everybody's; the third is read only with a ``user``, under their
    consent. All or nothing. Raises what storing raises, ``OSError``, and ``UnicodeDecodeError`` for what is no UTF-8.
    """
    texts = {
        kind: path.read_text(encoding="utf-8") for kind in _CORE if (path := _document_path(folder, kind)).exists()
    }
    own = _document_path(folder, "user")
    with transaction.atomic():
        with in_role(OPERATOR_ROLE):
            for kind, text in texts.items():
                _import_document(kind, text, tenant)
        if user is not None and own.exists():
            with acting_as(user.pk):
                write_user_document(permit_for(user), user, own.read_text(encoding="utf-8"))
    read = [_document_path(folder, kind).name for kind in texts]
    return [*read, own.name] if user is not None and own.exists() else read


def _import_document(kind: DocumentKind, text: str, tenant: Tenant | None) -> None:
    row = PersonaDocument.objects.filter(tenant=tenant, kind=kind).first() or PersonaDocument(tenant=tenant, kind=kind)
    if row.body != text.strip():
        row.body = text
        save_document(row)


def _document_path(folder: Path, kind: DocumentKind) -> Path:
    return folder / f"{kind.upper()}.md"


def _screened_body(body: str, names: Iterable[str] = ()) -> str:
    text = body.strip()
    if len(text) > MAX_CHARS:
        raise ValidationFailed(details={"body": [_("At most %(limit)d characters.") % {"limit": MAX_CHARS}]})
    return screen_text(FIELD, text, list(names)).text


def _core_kind(name: str) -> DocumentKind:
    return "soul" if name == PersonaDocument.Kind.SOUL else "identity"


@lru_cache(maxsize=1_024)
def _document_body(document_id: UUID, _version: int) -> str:
    """An organisation's text, cached by version; "" for one deleted meanwhile."""
    return PersonaDocument.objects.filter(pk=document_id).values_list("body", flat=True).first() or ""


@cache
def _shipped_document(kind: DocumentKind) -> PersonaText:
    return PersonaText(kind, _document_path(DEFAULTS, kind).read_text(encoding="utf-8").strip())


def _user_document(permit: Permit) -> PersonaText:
    """The user's own document; never cached, so that no process keeps the user's words."""
    if not permit.allows(ConsentScope.SAVE_TO_PROFILE):
        return PersonaText("user")
    row = UserDocument.objects.filter(user_id=permit.user_id).first()
    return _as_document(row) if row else PersonaText("user")


def _as_document(row: UserDocument) -> PersonaText:
    return PersonaText("user", row.body, row.version, row.updated_at)
