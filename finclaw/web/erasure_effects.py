"""Describes what an erasure takes and keeps, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

from consent.erasure.types import Targets
from consent.export.services import downloadable_exports_of
from consent.permit import Permit
from finclaw.erasure_preview import ErasurePreview
from finclaw.web import dates
from memory.erasure.labels import ITEM, TURN
from memory.services.sources import learned_from

EVENTS_QUOTED = 10
NAMED = 3  # memories that stay


_COUNTED: dict[str, Promise] = {
    "portrait_lines": ngettext_lazy("%d line of a portrait", "%d lines of portraits"),
    "research": ngettext_lazy(
        "%d piece of research, with what came of it", "%d pieces of research, with what came of them"
    ),
    "prompts": ngettext_lazy(
        "The words that asked for %d piece of research which a thread keeps, and what it quotes of them",
        "The words that asked for %d pieces of research which threads keep, and what they quote of them",
    ),
    "messages": ngettext_lazy("The words of %d message of yours", "The words of %d messages of yours"),
    "message_sentences": ngettext_lazy(
        "%d sentence of your messages, the rest of which stays",
        "%d sentences of your messages, the rest of which stays",
    ),
    "answers": ngettext_lazy(
        "The words of %d answer of mine that drew on it", "The words of %d answers of mine that drew on it"
    ),
    "answer_sentences": ngettext_lazy(
        "%d sentence of my answers that quoted it", "%d sentences of my answers that quoted it"
    ),
}


def describe_erased(going: ErasurePreview, quoted: str = "") -> Iterator[str]:
    """What is erased with these rows, in counts; an event already ``quoted`` on the page is not quoted again."""
    if going.memories:
        yield ngettext("%d memory", "%d memories, counting earlier versions", going.memories) % going.memories
    yield from _describe_events(going, quoted)
    counts = ((words, getattr(going, name)) for name, words in _COUNTED.items())
    yield from (str(words % number) for words, number in counts if number)


def _describe_events(going: ErasurePreview, quoted: str) -> Iterator[str]:
    """Each deleted event by its text, and the number of events that only lose a sentence."""
    for text in going.events[:EVENTS_QUOTED]:
        yield _("This event") if text == quoted else _("The event “%(words)s”") % {"words": text}
    if (more := len(going.events) - EVENTS_QUOTED) > 0:
        yield ngettext("and %d more event", "and %d more events", more) % more
    if kept := len(going.rewritten_events):
        words = ngettext(
            "What tells it in %d other event, which stays", "What tells it in %d other events, which stay", kept
        )
        yield words % kept


def describe_exports(permit: Permit) -> list[str]:
    """The exports that are deleted too: any erasure deletes all of them, since each may contain what is erased."""
    made = (
        export.finished_at or export.created_at for export in downloadable_exports_of(permit.user_id, timezone.now())
    )
    return [_("Your copy of your data made on %(day)s (it may hold this)") % {"day": dates.day(at)} for at in made]


def describe_kept_memories(permit: Permit, targets: Targets) -> Iterator[str]:
    """Other memories from the messages that lose their words: how many, and the first of them."""
    others = learned_from(permit, targets.emptied_or_cut(TURN)).exclude(pk__in=targets.delete.get(ITEM, ()))
    if number := others.count():
        words = ngettext(
            "%d other memory from these messages stays, without the words it came from:",
            "%d other memories from these messages stay, without the words they came from:",
            number,
        )
        yield words % number
        yield from (item.content for item in others.order_by("created_at")[:NAMED])
    if number > NAMED:
        yield ngettext("and %d more", "and %d more", number - NAMED) % (number - NAMED)
