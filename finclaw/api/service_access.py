"""How an organisation's service token acts for one of its people: where, for whom, and under which consent."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from django.utils.translation import gettext as _
from rest_framework.request import Request

from consent.exceptions import ProfileConsentRequired
from consent.services import permit_for
from finclaw.api.program_access import view_name
from finclaw.provisioning import ProvisioningRefused, audit_for, tenant_of
from foundation.accounts.managed_accounts import find_managed, managed_accounts
from foundation.accounts.models import ServiceToken, User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound, ValidationFailed

END_USER_HEADER: Final = "X-FinClaw-User"
"""The header that names the person whom a service token acts for."""

NAMING_FIELDS: Final = ("user", "safety_identifier")
"""The fields that name the person where OpenAI's protocol is spoken and the header is not sent; the first that is."""

MOST_PEOPLE: Final = 100
"""How many people one request may be about, where it may be about several."""

READ: Final = frozenset({"GET", "HEAD", "OPTIONS"})
READABLE: Final = frozenset(
    {
        "api:consent", "api:consent_history", "api:knowledge", "api:knowledge_entry", "api:knowledge_relation",
        "api:knowledge_relations", "api:me", "api:persona_documents",
    }
)  # fmt: skip
"""Addresses that a service token reads and never writes: consent is recorded with evidence, elsewhere."""

RIGHTS: Final = frozenset(
    {
        "api:certificate", "api:consent", "api:consent_history", "api:erasure", "api:erasure_preview",
        "api:erasure_request", "api:erasures", "api:export", "api:export_ask", "api:exports", "api:me",
    }
)  # fmt: skip
"""Addresses of people's rights to their data, which hold without a consent."""

OPEN: Final = READABLE | RIGHTS | {
    "api:archive", "api:bookmark", "api:bookmarks", "api:checkpoint", "api:confirm", "api:context",
    "api:context_block", "api:end", "api:entity_profile",
    "api:entity_profile_revisions", "api:entity_profile_rollback", "api:entity_profile_search", "api:event",
    "api:event_search", "api:events", "api:feedback", "api:history", "api:job", "api:long_task",
    "api:long_task_cancellation", "api:long_task_result", "api:long_tasks", "api:memories", "api:memory",
    "api:media", "api:media_content", "api:media_file", "api:media_reading", "api:media_thumbnail",
    "api:memory_search", "api:message_learned", "api:message_retry", "api:message_search", "api:messages",
    "api:object_feedback", "api:one_feedback", "api:persona_mode", "api:persona_preference",
    "api:persona_preference_confirm", "api:persona_preferences", "api:persona_user_document", "api:receipt",
    "api:recommended", "api:reject", "api:reopen", "api:save_as_thread", "api:session",
    "api:session_persona", "api:sessions", "api:settle", "api:snapshot", "api:take_back", "api:task",
    "api:task_cancel", "api:task_preview", "api:tasks", "api:thread", "api:thread_refresh", "api:thread_refreshes",
    "api:threads", "api:undo", "api:watch_question_reopen", "api:watch_question_resolve",
    "openai:chat_completions", "openai:embeddings", "openai:input_items", "openai:model", "openai:models",
    "openai:receipt", "openai:response", "openai:responses",
}  # fmt: skip
"""Every address that is open to service tokens, by the name of its view; an address that is not here is closed."""


class EndUserConsentMissing(ProfileConsentRequired):
    """The organisation has recorded no consent for the person it acts for, who may be nobody it knows."""

    default_message = "No consent is recorded for this person. Record it first, with its evidence."


def end_user_of(request: Request, token: ServiceToken) -> User:
    """The person whom a request by a service token is for, once it may act for them here; the act is audited.

    Raises ``ProvisioningRefused`` for a closed address, ``ValidationFailed`` where no person is named, and as
    ``require_end_user``.
    """
    match, view = request._request.resolver_match, view_name(request)
    if view not in OPEN or (view in READABLE and request.method not in READ):
        raise ProvisioningRefused()
    header = request.headers.get(END_USER_HEADER, "") or _named_in_body(request, view)
    names = {header, str(match.kwargs.get("user_id", "")) if match else ""} - {"", "me"}
    if not names:
        raise ValidationFailed(details={END_USER_HEADER: [_("Say for which of your users you ask.")]})
    people = [require_end_user(token, name, needs_consent=view not in RIGHTS) for name in names]
    if len({person.pk for person in people}) > 1:
        raise NotFound()
    audit_act(token, people[0], request)
    return people[0]


def end_users_of(token: ServiceToken, names: Collection[str]) -> list[User]:
    """The people whom these names name, each once. Raises as ``require_end_user``, and ``ValidationFailed`` for none
    or for more than ``MOST_PEOPLE``.
    """
    if not 0 < len(names) <= MOST_PEOPLE:
        raise ValidationFailed(details={"user_id": [_("Say for which of your users you ask.")]})
    people = [require_end_user(token, name) for name in sorted(names)]
    return list({person.pk: person for person in people}.values())


def consenting_end_users(token: ServiceToken) -> list[User]:
    """Everybody whom a service token may act for. Raises ``ValidationFailed`` for more than ``MOST_PEOPLE`` people."""
    people = list(managed_accounts(tenant_of(token).pk).order_by("-date_joined")[: MOST_PEOPLE + 1])
    if len(people) > MOST_PEOPLE:
        told = _("At most %(limit)d users at once: name them.") % {"limit": MOST_PEOPLE}
        raise ValidationFailed(details={"user_id": [told]})
    return [person for person in people if _has_agreed(person)]


def _named_in_body(request: Request, view: str) -> str:
    body = request.data if view.startswith("openai:") else None
    given = [body.get(field) for field in NAMING_FIELDS] if isinstance(body, Mapping) else []
    return next((str(name) for name in given if name), "")


def require_end_user(token: ServiceToken, name: str, *, needs_consent: bool = True) -> User:
    """One of the organisation's people who agreed to something. Raises ``EndUserConsentMissing`` for anybody else.

    Where no consent is needed, raises ``NotFound`` for anybody else.
    """
    person = find_managed(tenant_of(token).pk, name)
    if person is None and not needs_consent:
        raise NotFound()
    if person is None or (needs_consent and not _has_agreed(person)):
        raise EndUserConsentMissing(details={"required_scopes": []})
    return person


def audit_act(token: ServiceToken, person: User, request: Request) -> None:
    """Record that a service token acted for a person: at which address, by which verb."""
    details = {"view": view_name(request), "method": request.method or ""}
    audit_for(person.pk, "service.acted", token, details=details)


def _has_agreed(person: User) -> bool:
    with acting_as(person.pk):
        permit = permit_for(person)
    return permit.has_decided and not permit.is_revoked
