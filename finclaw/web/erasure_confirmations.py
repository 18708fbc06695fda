"""Builds what the page says before an erasure: exactly what is erased, and what may stay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consent.models import ErasureScope, Sources
from consent.permit import Permit
from finclaw.data_inventory import list_emptied_tables, row_counts_in_words
from finclaw.erasure import plan_erasure
from finclaw.erasure_preview import preview_erasure
from finclaw.web.erasure_effects import describe_erased, describe_exports, describe_kept_memories
from finclaw.web.portraits import plain_lines
from finclaw.web.presenters import show_session, show_sources
from finclaw.web.types import TemplateData
from foundation.exceptions import NotFound
from foundation.personal_data import ConsentScope
from media.services import file_of
from memory.erasure.labels import TURN
from memory.historian.events import event_of
from memory.models import ConversationEvent, EntityProfile
from memory.portraits.storage import former_revisions
from memory.research.task_lifecycle import task_of
from memory.research.threads import thread_of
from memory.services.item_queries import history_of, item_of
from memory.services.sessions import session_of
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
    """A confirmation: ``text`` is what is erased, verbatim; ``goes`` is what is erased whatever option is chosen."""

    title: str
    button: str
    cancel_url: str
    text: str = ""
    goes: list[str] = field(default_factory=list)
    stays: str = ""
    messages: list[TemplateData] = field(default_factory=list)
    more_messages: int = 0
    options: list[SourcesOption] = field(default_factory=list)


def confirm_memory(permit: Permit, target: str) -> ErasureConfirmation:
    """The confirmation for one memory with all its versions."""
    item = item_of(permit, UUID(target))
    question = ErasureConfirmation(
        title=_("Forget this memory?"),
        button=_("Forget this memory"),
        cancel_url=reverse("web:memory", args=[item.pk]),
        text=item.content,
    )
    said = list(sources_of(permit, history_of(permit, item)))
    return _with_sources_choice(permit, question, said, ErasureScope.ITEM, target)


def confirm_event(permit: Permit, target: str) -> ErasureConfirmation:
    """The confirmation for one event in all its perspectives."""
    event = event_of(permit, target)
    question = ErasureConfirmation(
        title=_("Forget this event?"),
        button=_("Forget this event"),
        cancel_url=reverse("web:event", args=[target]),
        text=event.canonical_text,
    )
    said = list(messages_by_id(permit, event.message_ids))
    return _with_sources_choice(permit, question, said, ErasureScope.EVENT, target)


def confirm_portrait(permit: Permit, target: str) -> ErasureConfirmation:
    """The confirmation for a portrait, or the user's part of a group's. Raises ``NotFound`` for another's."""
    row = EntityProfile.objects.filter(pk=target, user_id=permit.user_id).first()
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


def confirm_session(permit: Permit, target: str) -> ErasureConfirmation:
    """The confirmation for a conversation; in a group, for the user's own part of it."""
    session = session_of(permit, UUID(target))
    going = preview_erasure(permit, ErasureScope.SESSION, target, Sources.REDACT)
    said = len(going.targets.delete.get(TURN, ()))
    goes = [ngettext("%d message of this chat", "%d messages of this chat", said) % said] if said else []
    own_part = [_("In this group, what others said stays.")] if session.group_id else []
    return ErasureConfirmation(
        title=_("Forget this chat?"),
        button=_("Forget this chat"),
        cancel_url=reverse("web:chat_session", args=[target]),
        text=show_session(session)["title"],
        goes=[*goes, *describe_erased(going), *describe_exports(permit), *own_part],
    )


def confirm_thread(permit: Permit, target: str) -> ErasureConfirmation:
    """The confirmation for a thread with everything that belongs to it."""
    return ErasureConfirmation(
        title=_("Forget this thread?"),
        button=_("Forget this thread"),
        cancel_url=reverse("web:thread", args=[target]),
        text=thread_of(permit, UUID(target)).title,
        goes=_list_rows(permit, ErasureScope.THREAD, target),
    )


def confirm_task(permit: Permit, target: str) -> ErasureConfirmation:
    """The confirmation for one piece of research. Raises ``KeptInThread``."""
    task = task_of(permit, UUID(target))
    its_thread = [_("Its thread stays, with all the rest of it.")] if task.thread_id else []
    in_a_chat = ConversationEvent.objects.filter(pk=task.pk).exists()  # a task has the id of the message it is from
    its_message = [_("The message that asked for it stays in its chat.")] if in_a_chat else []
    return ErasureConfirmation(
        title=_("Forget this piece of research?"),
        button=_("Forget this piece of research"),
        cancel_url=reverse("web:task", args=[target]),
        text=task.question,
        goes=_list_rows(permit, ErasureScope.TASK, target),
        stays=" ".join([*its_thread, *its_message]),
    )


def confirm_file(permit: Permit, target: str) -> ErasureConfirmation:
    """The confirmation for one uploaded file."""
    media = file_of(permit, UUID(target))
    return ErasureConfirmation(
        title=_("Forget this file?"),
        button=_("Forget this file"),
        cancel_url=reverse("web:chat"),
        text=media.name,
        goes=[_("The file, its small picture, and what was read in it")],
        stays=_("Messages that had it as a part keep their words."),
    )


def confirm_everything_learned(permit: Permit, _target: str) -> ErasureConfirmation:
    """The confirmation for everything learned."""
    said = ConversationEvent.objects.filter(user_id=permit.user_id).count()
    words = ngettext("The words of %d message in your chats", "The words of all %d messages in your chats", said) % said
    redacting = plan_erasure(permit, ErasureScope.MEMORIES, "", Sources.REDACT)
    stay = _("Nothing of your chats; I never learn from what was said in them until now")
    options = [
        SourcesOption(Sources.REDACT, _remove_label(), [words, *row_counts_in_words(redacting)]),
        SourcesOption(Sources.KEEP, _keep_label(), [stay]),
    ]
    return ErasureConfirmation(
        title=_("Forget everything I learned?"),
        button=_("Forget everything I learned"),
        cancel_url=reverse("web:erasures"),
        goes=[
            *(list_emptied_tables(redacting) or [_("Nothing: I have not learned anything about you.")]),
            *describe_exports(permit),
        ],
        options=options if said else [],
    )


def confirm_profile(permit: Permit, _target: str) -> ErasureConfirmation:
    """The confirmation for what the user stated about themselves, with its history."""
    plan = plan_erasure(permit, ErasureScope.PROFILE, "", Sources.REDACT)
    nothing = [_("Nothing: you have not set anything about yourself.")]
    return ErasureConfirmation(
        title=_("Forget what you said about yourself?"),
        button=_("Forget what I said about myself"),
        cancel_url=reverse("web:erasures"),
        goes=[*(list_emptied_tables(plan) or nothing), *describe_exports(permit)],
    )


def confirm_account(permit: Permit, _target: str) -> ErasureConfirmation:
    """The confirmation for deleting the account."""
    account = _("Your account itself: you are signed out, and nobody signs in as you again")
    return ErasureConfirmation(
        title=_("Forget your account?"),
        button=_("Forget my account"),
        cancel_url=reverse("web:erasures"),
        goes=[*list_emptied_tables(plan_erasure(permit, ErasureScope.ACCOUNT, "", Sources.REDACT)), account],
    )


def _list_rows(permit: Permit, scope: ErasureScope, target: str) -> list[str]:
    return [*row_counts_in_words(plan_erasure(permit, scope, target, Sources.REDACT)), *describe_exports(permit)]


def _with_sources_choice(
    permit: Permit,
    question: ErasureConfirmation,
    said: list[ConversationEvent],
    scope: ErasureScope,
    target: str,
) -> ErasureConfirmation:
    """The confirmation with the messages it is about, quoted; without messages there is nothing to choose."""
    redacting, keeping = (preview_erasure(permit, scope, target, sources) for sources in (Sources.REDACT, Sources.KEEP))
    copies = describe_exports(permit)
    redacted, kept = ([*describe_erased(going, question.text), *copies] for going in (redacting, keeping))
    if not said:
        return replace(question, goes=kept)
    stays = list(describe_kept_memories(permit, redacting.targets))
    return replace(
        question,
        messages=show_sources(said[:QUOTED]),
        more_messages=max(len(said) - QUOTED, 0),
        options=[
            SourcesOption(Sources.REDACT, _redact_label(), redacted, stays),
            SourcesOption(Sources.KEEP, _keep_label(), kept),
        ],
    )


def _redact_label() -> str:
    return _("Take it out of those messages too (recommended)")


def _remove_label() -> str:
    return _("Forget the words of those messages too (recommended)")


def _keep_label() -> str:
    return _("Keep the messages, and never learn from them again")


@dataclass(frozen=True)
class ForgetPage:
    """The page that confirms one scope of erasure: its address, its URL name, and the function that builds its text."""

    address: str
    name: str
    confirm: Callable[[Permit, str], ErasureConfirmation]


FORGET_PAGES: Final[dict[ErasureScope, ForgetPage]] = {
    ErasureScope.SESSION: ForgetPage("chat/<uuid:target>/forget/", "forget_session", confirm_session),
    ErasureScope.THREAD: ForgetPage("threads/<uuid:target>/forget/", "forget_thread", confirm_thread),
    ErasureScope.TASK: ForgetPage("research/tasks/<uuid:target>/forget/", "forget_task", confirm_task),
    ErasureScope.ITEM: ForgetPage("memories/<uuid:target>/forget/", "forget_memory", confirm_memory),
    # An event's id ends in a number, so this path cannot be mistaken for an event's.
    ErasureScope.EVENT: ForgetPage("events/<path:target>/forget/", "forget_event", confirm_event),
    ErasureScope.PORTRAIT: ForgetPage("portraits/<uuid:target>/forget/", "forget_portrait", confirm_portrait),
    ErasureScope.MEDIA: ForgetPage("files/<uuid:target>/forget/", "forget_file", confirm_file),
    ErasureScope.PROFILE: ForgetPage("privacy/forget/profile/", "forget_profile", confirm_profile),
    ErasureScope.MEMORIES: ForgetPage("privacy/forget/learned/", "forget_learned", confirm_everything_learned),
    ErasureScope.ACCOUNT: ForgetPage("privacy/forget/account/", "forget_account", confirm_account),
}
