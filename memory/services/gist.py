"""What a person said in a conversation, in a few whole sentences: what its event is made of (M-10, M-43)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from consent.permit import Permit
from consent.services import held_since
from foundation.accounts.models import User
from foundation.personal_data import Scope
from foundation.text import cjk_share, is_asked
from memory.evolution.analysis import analyze
from memory.evolution.gateway import MAX_CANDIDATE_CHARS
from memory.evolution.types import Utterance
from memory.historian.canonical import CHINESE_SHARE, ended
from memory.historian.offline import rewrite
from memory.historian.services import ASSISTANT_NAME
from memory.historian.types import Draft, EventClock
from memory.indexing.unconfirmed import unconfirmed_among, without_health
from memory.models import CognitiveJob, ConversationEvent, Session
from memory.services import sessions
from memory.services.extracts import Passage, best, passage_of, sentences_of

GIST_CHARS: Final = 560
"""With its date and its subject an event stays within 600 characters."""

LOOKED_BACK: Final = 200  # messages of the person's
_PASTED_CHARS: Final = 200  # of a message that is longer than anybody's statement about themselves
_UNBROKEN: Final = re.compile(r"([^\s\u3000-\u9fff\uff00-\uffef]{60})[^\s\u3000-\u9fff\uff00-\uffef]+")
"""No word of a language, nor a ticker or an amount, is as long."""


@dataclass(frozen=True, slots=True)
class Gist:
    """Sentences in their order, in the languages they were said in, and the messages they are of."""

    text: str
    messages: tuple[ConversationEvent, ...]


def untold(permit: Permit, session: Session, request_id: str) -> list[ConversationEvent]:
    """What the person said that no end before ``request_id`` was told of, oldest first; only what may be learned.

    An end that names messages is told of these, one that names none of whatever was said before it. In a group too
    these are the person's own words alone: everybody else's belong to them.
    """
    if not permit.allows(Scope.MEMORY_LEARNING):
        return []
    said = sessions.messages_of(session).filter(
        user_id=permit.user_id,
        role=ConversationEvent.Role.USER,
        learnable=True,
        redacted_at=None,
        consent_version__gte=held_since(permit.user_id, Scope.MEMORY_LEARNING),
    )
    ends = CognitiveJob.objects.filter(user_id=permit.user_id, session=session).exclude(request_id=request_id)
    told_until = ends.filter(message_ids=[]).order_by("-created_at").values_list("created_at", flat=True).first()
    if told_until is not None:
        said = said.filter(created_at__gt=told_until)
    if session.group_id is None and not _is_known(permit, session, request_id):
        said = said.filter(seq__gt=session.ended_seq)
    named = {key for keys in ends.exclude(message_ids=[]).values_list("message_ids", flat=True) for key in keys}
    return list(said.exclude(pk__in=named).reverse()[:LOOKED_BACK])[::-1]


def _is_known(permit: Permit, session: Session, request_id: str) -> bool:
    """Whether this very end was told before: told again it names the same."""
    return CognitiveJob.objects.filter(user_id=permit.user_id, session=session, request_id=request_id).exists()


def gist_of(user: User, session: Session, messages: Sequence[ConversationEvent], room: int = GIST_CHARS) -> Gist:
    """The sentences that hold the most of these messages, within ``room`` characters; questions where nothing else was
    said, or an event would be found as the answer to what was only asked. What they say of their health is no part of
    it until they confirmed it.
    """
    private = unconfirmed_among(user.pk, messages)
    said = [(message, _sentences(message, is_private=message.pk in private)) for message in messages]
    telling = [(message, [one for one in sentences if _tells(one, message)]) for message, sentences in said]
    chosen = telling if any(sentences for _, sentences in telling) else said
    told = [(one, message) for message, sentences in chosen for one in _passages(user, session, message, sentences)]
    kept = [told[at] for at in best([passage for passage, _ in told], room)]
    messages = tuple(dict.fromkeys(message for _, message in kept))
    return Gist(_joined([passage.written for passage, _ in kept]), messages)


def _sentences(message: ConversationEvent, *, is_private: bool) -> list[str]:
    sentences = sentences_of(_unjunked(message.text))
    return without_health(sentences) if is_private else sentences


def _tells(sentence: str, message: ConversationEvent) -> bool:
    """Whether it is no question, or states something beside it: "I live in Berlin, do you?"."""
    return not is_asked(sentence) or bool(analyze(Utterance(sentence, message.speaker, message.occurred_at)))


def _passages(user: User, session: Session, message: ConversationEvent, sentences: Sequence[str]) -> list[Passage]:
    """Sentences of the message, each absolute at the time it was said: the event is written later."""
    clock = EventClock(message.occurred_at, session.time_zone or user.time_zone, session.location or None)
    passages = [_passage(sentence, message.speaker, clock) for sentence in sentences]
    if len(message.text) <= MAX_CANDIDATE_CHARS:
        return passages
    return [passages[at] for at in best(passages, _PASTED_CHARS)]


def _passage(sentence: str, speaker: str, clock: EventClock) -> Passage:
    absolute = rewrite(Draft("", sentence, speaker, ASSISTANT_NAME), clock).new_info
    written = ended(absolute, "。" if cjk_share(absolute) >= CHINESE_SHARE else ".")
    return passage_of(sentence, written, size=len(written) + 1)


def _unjunked(text: str) -> str:
    return _UNBROKEN.sub(r"\1…", text)


def _joined(sentences: Sequence[str]) -> str:
    """A space after a Latin sentence; a Chinese end mark is as wide as one."""
    return "".join(one if one.endswith(("。", "！", "？")) else f"{one} " for one in sentences).rstrip()
