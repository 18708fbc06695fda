"""What the page says before an erasure: exactly what goes, and what may stay."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consent.models import ErasureScope, Sources
from consent.permit import Permit
from finclaw.erasure_preview import ErasurePreview, preview_erasure
from finclaw.web.data_inventory import entries_of_account, entries_under_scope, row_counts_in_words
from finclaw.web.erasure_effects import describe_erased, describe_exports, describe_kept_memories
from finclaw.web.portraits import plain_lines
from finclaw.web.presenters import show_session, show_sources
from finclaw.web.types import TemplateData
from foundation.exceptions import NotFound
from foundation.personal_data import ConsentScope
from memory.erasure.research_requests import research_requested_in_chats
from memory.erasure.targets import TURN
from memory.models import CognitiveEvent, ConversationEvent, EntityProfile, MemoryItem, Session
from memory.profiles.storage import former_revisions
from memory.services.item_queries import history_of
from memory.services.sources import messages_by_id, sources_of

QUOTED = 10  # messages


@dataclass(frozen=True)
class SourcesOption:
    """One choice for the source messages, with what it erases."""

    value: Sources
    label: str
    goes: list[str]
    stays: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ErasureConfirmation:
    """A confirmation: ``text`` is what is erased, verbatim; ``goes`` is what goes whatever is chosen."""

    title: str
    button: str
    cancel_url: str
    text: str = ""
    goes: list[str] = field(default_factory=list)
    stays: str = ""
    messages: list[TemplateData] = field(default_factory=list)
    more_messages: int = 0
    options: list[SourcesOption] = field(default_factory=list)


def confirm_memory(permit: Permit, item: MemoryItem) -> ErasureConfirmation:
    """The confirmation for one memory with all its versions."""
    both = (
        preview_erasure(permit, ErasureScope.ITEM, str(item.pk), sources) for sources in (Sources.REDACT, Sources.KEEP)
    )
    redacting, keeping = both
    said = list(sources_of(permit, history_of(permit, item)))
    return _with_sources_choice(
        permit,
        ErasureConfirmation(
            title=_("Forget this memory?"),
            button=_("Forget this memory"),
            cancel_url=reverse("web:memory", args=[item.pk]),
            text=item.content,
        ),
        said,
        redacting,
        keeping,
    )


def confirm_event(permit: Permit, event: CognitiveEvent) -> ErasureConfirmation:
    """The confirmation for one event in all its perspectives."""
    named = event.ref
    both = (preview_erasure(permit, ErasureScope.EVENT, named, sources) for sources in (Sources.REDACT, Sources.KEEP))
    redacting, keeping = both
    return _with_sources_choice(
        permit,
        ErasureConfirmation(
            title=_("Forget this event?"),
            button=_("Forget this event"),
            cancel_url=reverse("web:event", args=[named]),
            text=event.canonical_text,
        ),
        list(messages_by_id(permit, event.message_ids)),
        redacting,
        keeping,
    )


def confirm_portrait(permit: Permit, portrait_id: UUID) -> ErasureConfirmation:
    """The confirmation for a portrait, or the user's part of a group's. Raises ``NotFound`` for another's."""
    row = EntityProfile.objects.filter(pk=portrait_id, user_id=permit.user_id).first()
    if row is None or not permit.allows(ConsentScope.MEMORY_LEARNING):
        raise NotFound()
    versions = former_revisions(row).count() + 1
    kept = ngettext("Its words, in %d version", "Its words, in %d versions", versions) % versions
    stays = _("The events it was drawn from stay until you forget them, and I may draw a new one from what comes.")
    return ErasureConfirmation(
        title=_("Forget this portrait?") if row.group is None else _("Forget your part of this portrait?"),
        button=_("Forget this portrait") if row.group is None else _("Forget my part of it"),
        cancel_url=reverse("web:portraits"),
        text="\n".join(plain_lines(row.body)),
        goes=[kept, *describe_exports(permit)],
        stays=stays,
    )


def confirm_session(permit: Permit, session: Session) -> ErasureConfirmation:
    """The confirmation for a conversation; in a group, for the user's own part of it."""
    going = preview_erasure(permit, ErasureScope.SESSION, str(session.pk), Sources.REDACT)
    said = len(going.targets.delete.get(TURN, ()))
    goes = [ngettext("%d message of this chat", "%d messages of this chat", said) % said] if said else []
    own_part = [_("In this group, what others said stays.")] if session.group_id else []
    return ErasureConfirmation(
        title=_("Forget this chat?"),
        button=_("Forget this chat"),
        cancel_url=reverse("web:chat_session", args=[session.pk]),
        text=show_session(session)["title"],
        goes=[*goes, *describe_erased(going), *describe_exports(permit), *own_part],
    )


def confirm_everything_learned(permit: Permit) -> ErasureConfirmation:
    """The confirmation for everything learned."""
    said = ConversationEvent.objects.filter(user_id=permit.user_id).count()
    words = ngettext("The words of %d message in your chats", "The words of all %d messages in your chats", said) % said
    research = row_counts_in_words(research_requested_in_chats(permit).delete)
    stay = _("Nothing of your chats; I never learn from what was said in them until now")
    return ErasureConfirmation(
        title=_("Forget everything I learned?"),
        button=_("Forget everything I learned"),
        cancel_url=reverse("web:erasures"),
        goes=[
            *(
                [entry.text for entry in entries_under_scope(permit.user_id, ConsentScope.MEMORY_LEARNING)]
                or [_("Nothing: I have not learned anything about you.")]
            ),
            *describe_exports(permit),
        ],
        options=[
            SourcesOption(Sources.REDACT, _remove_label(), [words, *research]),
            SourcesOption(Sources.KEEP, _keep_label(), [stay]),
        ]
        if said
        else [],
    )


def confirm_profile(permit: Permit) -> ErasureConfirmation:
    """The confirmation for what the user stated about themselves, with its history."""
    return ErasureConfirmation(
        title=_("Forget what you said about yourself?"),
        button=_("Forget what I said about myself"),
        cancel_url=reverse("web:erasures"),
        goes=[
            *(
                [entry.text for entry in entries_under_scope(permit.user_id, ConsentScope.SAVE_TO_PROFILE)]
                or [_("Nothing: you have not set anything about yourself.")]
            ),
            *describe_exports(permit),
        ],
    )


def confirm_account(permit: Permit) -> ErasureConfirmation:
    """The confirmation for deleting the account."""
    return ErasureConfirmation(
        title=_("Forget your account?"),
        button=_("Forget my account"),
        cancel_url=reverse("web:erasures"),
        goes=[
            *(entry.text for entry in entries_of_account(permit.user_id)),
            _("Your account itself: you are signed out, and nobody signs in as you again"),
        ],
    )


def _with_sources_choice(
    permit: Permit,
    question: ErasureConfirmation,
    said: list[ConversationEvent],
    redacting: ErasurePreview,
    keeping: ErasurePreview,
) -> ErasureConfirmation:
    """The confirmation with the messages it is about, quoted; without messages there is nothing to choose."""
    copies = describe_exports(permit)
    redacted, kept = (list(describe_erased(going, question.text)) for going in (redacting, keeping))
    if not said:
        return replace(question, goes=[*kept, *copies])
    return replace(
        question,
        messages=show_sources(said[:QUOTED]),
        more_messages=max(len(said) - QUOTED, 0),
        options=[
            SourcesOption(
                Sources.REDACT,
                _redact_label(),
                [*redacted, *copies],
                list(describe_kept_memories(permit, redacting.targets)),
            ),
            SourcesOption(Sources.KEEP, _keep_label(), [*kept, *copies]),
        ],
    )


def _redact_label() -> str:
    return _("Take it out of those messages too (recommended)")


def _remove_label() -> str:
    return _("Forget the words of those messages too (recommended)")


def _keep_label() -> str:
    return _("Keep the messages, and never learn from them again")
