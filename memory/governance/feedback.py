"""Takes feedback on memories from users' next messages: closes receipts and counts uses.

How a user reacted to a memory is counted here and nudges its confidence; the upkeep jobs act on many uses together. A
use without a verdict is neutral and counts neither way: people rarely praise what simply works.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from django.db.models import Case, F, PositiveIntegerField, Value, When
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.exceptions import LearningStopped
from consent.permit import Permit
from consent.sensitive.services import screen_text
from consent.services import learning_permit
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import NotFound
from memory.governance.confidence_nudges import nudge_confidence
from memory.governance.fuse import trip_if_needed
from memory.mentions import core_terms, speaks_of
from memory.models import ConversationEvent, MemoryItem, Receipt, ReceiptLine
from memory.reactions import Reaction, reaction_to
from memory.services import versions
from memory.services.item_queries import item_of
from memory.services.reply_traces import texts_of_lines
from memory.services.sessions import message_before

UNANSWERED_AFTER: Final = timedelta(days=1)
BATCH: Final = 1_000  # receipts read at once
Signal = Literal["positive", "negative"]
_NAMING: Final = frozenset({Reaction.NEGATIVE, Reaction.FOLLOW_UP, Reaction.RESTATED})
"""Reactions for which the memories that the message speaks of are looked up."""
_PASSED_OVER: Final = frozenset(
    {"relevance", "confidence", "outdated"}
)  # reasons about the memory itself, unlike want of room


def close_answered(permit: Permit, message: ConversationEvent, before: ConversationEvent | None = None) -> None:
    """Close the injection receipt of the answer that ``message`` follows, if it is still open.

    ``before`` is the message before ``message``; it is looked up if the caller does not pass it. Call while holding the
    permit, and before anything is learned from the message: the memories that it corrects are then still open.
    """
    answer = before or message_before(message)
    if answer is None or answer.role != ConversationEvent.Role.ASSISTANT or answer.user_id != permit.user_id:
        return  # in a group, one member's "yes" does not close the receipt of another's answer
    open_receipts = Receipt.objects.filter(kind=Receipt.Kind.INJECTION, user_id=permit.user_id, closed_at=None)
    receipt = open_receipts.filter(message_id=answer.pk).first()
    if receipt is not None:
        _close_receipt(permit, receipt, reaction_to(answer.text, message.text), message.text)


def give_feedback(permit: Permit, memory_id: UUID, signal: Signal, comment: str = "") -> MemoryItem:
    """Record a user's explicit feedback on a memory, helpful or not. The comment is not kept.

    Raises ``NotFound`` for what is not open, ``SensitiveInput`` for a comment with a secret in it, and what
    ``learning_transaction`` raises.
    """
    screen_text("comment", comment)
    with versions.learning_transaction(permit):
        item = item_of(permit, memory_id)
        if item.superseded_at is not None:
            raise NotFound(_("A newer memory has replaced this one."))
        is_right = signal == "positive"
        _count_uses(
            permit, _CountedUses(positive={item.pk}, hit={item.pk}) if is_right else _CountedUses(negative={item.pk})
        )
        return item_of(permit, memory_id)


def close_unanswered() -> int:
    """Close the receipts of answers that nobody answered; returns how many. For the schedule."""
    begun = timezone.now() - UNANSWERED_AFTER
    waiting, after = 0, None
    while batch := _unanswered(begun, after):
        for receipt in batch:
            _close_one(receipt)
        waiting, after = waiting + len(batch), batch[-1].created_at
    return waiting


def _unanswered(until: datetime, after: datetime | None) -> list[Receipt]:
    """The next receipts to close, without those of users being erased, and without those that have no user."""
    still_open = Receipt.objects.filter(
        kind=Receipt.Kind.INJECTION, closed_at=None, created_at__lt=until, user__isnull=False
    )
    later = still_open.filter(created_at__gt=after) if after else still_open
    with in_role(OPERATOR_ROLE):
        return list(later.order_by("created_at").select_related("session")[:BATCH])


def _close_one(receipt: Receipt) -> None:
    """Close a receipt. If nothing may be learned from its conversation, no use is counted."""
    assert receipt.user_id is not None
    assert receipt.session is not None
    with acting_as(receipt.user_id):
        try:
            permit = learning_permit(receipt.user_id, receipt.consent_version) if receipt.session.remember else None
        except LearningStopped:
            return  # it stays open until learning goes on
        if permit is None:
            _mark_closed(receipt)
        else:
            _close_receipt(permit, receipt, Reaction.SILENCE, "")


def _mark_closed(receipt: Receipt) -> bool:
    """Mark a receipt as closed by compare-and-set: of two that close it, only one counts."""
    return bool(Receipt.objects.filter(pk=receipt.pk, closed_at=None).update(closed_at=timezone.now()))


def _close_receipt(permit: Permit, receipt: Receipt, reaction: Reaction, message: str) -> None:
    if not _mark_closed(receipt):
        return
    lines = list(receipt.lines.all())
    taken = [line for line in lines if line.status == ReceiptLine.Status.ACCEPTED]
    named = _lines_spoken_of(permit, taken, message) if reaction in _NAMING else set()
    if reaction is Reaction.FOLLOW_UP:
        _take_up([line for line in taken if line.pk in named])
    meant = _lines_meant(taken, named, reaction)
    ReceiptLine.objects.filter(pk__in=[line.pk for line in meant]).update(user_feedback_signal=reaction)
    _count_uses(permit, _uses(lines, meant, reaction))


def _lines_meant(taken: Sequence[ReceiptLine], named: AbstractSet[UUID], reaction: Reaction) -> list[ReceiptLine]:
    """The lines that the reaction judges.

    A denial judges the lines that the message names, if any; other reactions judge the lines that the answer used.
    Where the user had to repeat something, the answer used other lines instead: those repeated are not judged.
    """
    if reaction is Reaction.NEGATIVE and named:
        return [line for line in taken if line.pk in named]
    used = _used_lines(taken)
    return [line for line in used if line.pk not in named] if reaction is Reaction.RESTATED else used


def _used_lines(lines: Iterable[ReceiptLine]) -> list[ReceiptLine]:
    return [line for line in lines if line.utilized]


def _take_up(lines: Sequence[ReceiptLine]) -> None:
    """Mark lines as used: a user who follows up on a memory must have found it in the answer."""
    for line in lines:
        line.utilized = True
    ReceiptLine.objects.filter(pk__in=[line.pk for line in lines]).update(utilized=True)


def _lines_spoken_of(permit: Permit, lines: Sequence[ReceiptLine], message: str) -> set[UUID]:
    """The lines whose memory the message speaks of."""
    said = core_terms(message)
    texts = texts_of_lines(permit, lines)
    return {line.pk for line in lines if speaks_of(said, core_terms(texts.get((line.kind, line.ref_id), "")))}


@dataclass(frozen=True)
class _CountedUses:
    """The ids of the items of which each kind of use is to be counted."""

    positive: AbstractSet[UUID] = frozenset()
    negative: AbstractSet[UUID] = frozenset()
    hit: AbstractSet[UUID] = frozenset()
    missed: AbstractSet[UUID] = frozenset()
    unused: AbstractSet[UUID] = frozenset()
    restated: AbstractSet[UUID] = frozenset()


def _uses(lines: Sequence[ReceiptLine], meant: Sequence[ReceiptLine], reaction: Reaction) -> _CountedUses:
    judged = _items_of_lines(meant)
    return _CountedUses(
        positive=judged if reaction is Reaction.POSITIVE else set(),
        negative=judged if reaction is Reaction.NEGATIVE else set(),
        hit=_items_of_lines(line for line in lines if line.utilized),
        missed=_items_of_lines(line for line in lines if _is_miss(line)),
        unused=_items_of_lines(line for line in lines if _is_unused(line)),
        restated=judged if reaction is Reaction.RESTATED else set(),
    )


def _items_of_lines(lines: Iterable[ReceiptLine]) -> set[UUID]:
    return {line.ref_id for line in lines if line.kind == "item"}


def _is_miss(line: ReceiptLine) -> bool:
    """Whether a candidate was found and rejected for itself, or injected as relevant and not used.

    A standing preference is never a miss: it shapes answers without being named.
    """
    if line.status == ReceiptLine.Status.REJECTED:
        return line.decision_reason in _PASSED_OVER
    return _is_unused(line)


def _is_unused(line: ReceiptLine) -> bool:
    """Whether a candidate was injected as relevant to the question, and the answer used nothing of it."""
    return line.utilized is False and line.decision_reason == ReceiptLine.Reason.RELEVANCE


def _count_uses(permit: Permit, uses: _CountedUses) -> None:
    """Count all uses in one SQL statement, nudge the confidence of judged items, and check the fuse of those called
    wrong.

    ``injection_count`` counts uses with a verdict; ``miss_count`` and ``unused_count`` count consecutive ones, so a hit
    resets them. Only a use with a positive verdict counts as a validation.
    """
    concerned = uses.positive | uses.negative | uses.hit | uses.missed
    validated = When(pk__in=uses.positive, then=timezone.now())
    MemoryItem.objects.owned_by(permit.user_id).filter(pk__in=concerned, superseded_at=None).update(
        injection_count=_one_more("injection_count", uses.positive | uses.negative),
        positive_count=_one_more("positive_count", uses.positive),
        correction_count=_one_more("correction_count", uses.negative),
        miss_count=_one_more("miss_count", uses.missed, none=uses.hit),
        unused_count=_one_more("unused_count", uses.unused, none=uses.hit),
        last_validated_at=Case(validated, default=F("last_validated_at")),
        updated_at=Case(validated, default=F("updated_at")),
    )
    for verdict in ("positive", "negative", "restated"):
        nudge_confidence(permit, getattr(uses, verdict), verdict)
    if uses.negative:
        trip_if_needed(permit, sorted(uses.negative))


def _one_more(counter: str, of: Iterable[UUID], none: Iterable[UUID] = ()) -> Case:
    """The expression of a counter: one more for some items, 0 for others, unchanged for the rest."""
    return Case(
        When(pk__in=none, then=Value(0)),
        When(pk__in=of, then=F(counter) + 1),
        default=F(counter),
        output_field=PositiveIntegerField(),
    )
