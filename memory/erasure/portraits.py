"""Removes erased words from portraits: lines made of them and lines that disclose them, in every revision.

Replies that quote such a line are removed too: those that had the portrait in their prompt, and share a word with the
line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from consent.erasure.types import Targets
from consent.permit import Permit
from foundation.accounts.models import User
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from memory.erasure.disclosure import NO_WORDS, ErasedWords
from memory.erasure.labels import EVENT, ITEM, PORTRAIT
from memory.erasure.portrait_sources import is_made_of, versions_of
from memory.erasure.reply_echoes import Words, index_words, lines_given
from memory.models import CognitiveEvent, ConversationEvent, EntityProfile
from memory.models.sessions import text_of
from memory.portraits import storage
from memory.portraits.lines import events_of, from_json, lines_holding
from memory.portraits.types import PortraitLine

LINES: Final = "memory.EntityProfile lines"


def replies_quoting(portraits: Mapping[UUID, Words], owners: Collection[UUID]) -> dict[UUID, UUID]:
    """Replies to these users that had one of the portraits in their prompt and share one of its words.

    Maps the id of each reply to the user it answered.
    """
    shown = list(lines_given(owners, portraits).values_list("receipt__message_id", "ref_id"))
    replies = ConversationEvent.objects.filter(pk__in={reply for reply, _ in shown}, redacted_at=None)
    said = {row.pk: (row.user_id, index_words([text_of(row.content)])) for row in replies.iterator()}
    return {
        reply: said[reply][0] for reply, portrait in shown if reply in said and said[reply][1] & portraits[portrait]
    }


def replies_echoing_events(permit: Permit, events: Collection[UUID]) -> set[UUID]:
    """The user's own replies that quote what their portraits hold, or ever held, of these events."""
    portraits = {key: words for key, (_, words) in _portrait_words_of_events(permit.user_id, events).items()}
    return set(replies_quoting(portraits, [permit.user_id])) if portraits else set()


def count_lines_going(permit: Permit, targets: Targets, words: ErasedWords) -> int:
    """How many lines of the user's present portraits an erasure of these rows and words removes."""
    rows = EntityProfile.objects.filter(user_id=permit.user_id)
    present = [from_json(lines) for lines in rows.values_list("lines", flat=True)]
    return sum(len(set(lines) - set(_remaining_lines(lines, targets, words))) for lines in present)


def shared_portraits(user_id: UUID, events: Collection[UUID] | None = None) -> dict[UUID, tuple[UUID, Words]]:
    """What the user contributed to portraits of groups: each with its group and its words.

    With ``events`` only the words of those. Call as the eraser, before they are deleted.
    """
    found = _bodies_of(user_id) if events is None else _portrait_words_of_events(user_id, events)
    return {key: (group, words) for key, (group, words) in found.items() if group is not None}


def clean_portraits(user_id: UUID, targets: Targets, words: ErasedWords = NO_WORDS) -> None:
    """Remove lines made of the erased rows, or disclosing the forgotten statement, from the user's portraits.

    Call while acting for the user. All portraits are looked at: a restored backup may hold versions that were gone when
    the erasure was asked for.
    """
    if not _sources_gone(targets) and not words.statements:
        return
    with in_role(ERASER_ROLE):  # they may be invisible already
        changed = [version for version in versions_of(user_id) if _clean_version(version, targets, words)]
        _drop_emptied(changed)
    for row in changed:
        if isinstance(row, EntityProfile):
            storage.reindex(row)


def _drop_emptied(changed: Iterable[Any]) -> None:
    """Delete former versions without lines, as there is nothing in them to restore."""
    emptied = [row.pk for row in changed if not isinstance(row, EntityProfile) and not row.lines]
    EntityProfile.history.filter(pk__in=emptied).delete()


def forget_revisions(portraits: Collection[UUID]) -> None:
    """Delete every former version of these portraits. Call as the eraser."""
    EntityProfile.history.filter(id__in=portraits).delete()


def count_lines_left(user_id: UUID, targets: Targets, words: ErasedWords = NO_WORDS) -> int:
    """How many versions of the user's portraits still hold anything of the erased rows. Call as the eraser."""
    gone = targets.delete.get(PORTRAIT, ())
    versions = (from_json(row.lines) for row in versions_of(user_id))
    holding = sum(_remaining_lines(lines, targets, words) != lines for lines in versions)
    return holding + int(EntityProfile.history.filter(id__in=gone).count())


def _bodies_of(user_id: UUID) -> dict[UUID, tuple[UUID | None, Words]]:
    """Each of the user's portraits with its group, and the words of all its versions."""
    found: dict[UUID, tuple[UUID | None, Words]] = {}
    for row in versions_of(user_id):
        _, words = found.get(row.id, (None, frozenset()))
        found[row.id] = row.group_id, words | index_words([row.body])
    return found


def _portrait_words_of_events(user_id: UUID, events: Collection[UUID]) -> dict[UUID, tuple[UUID | None, Words]]:
    """Each of the user's portraits with its group, and the words that these events gave it.

    These are the words of the events, which a deleted version may have held, and of the lines made from them, which the
    user may have reworded; the user's name is left out.
    """
    if not events:
        return {}
    told = CognitiveEvent.with_erased.filter(pk__in=list(events), user_id=user_id)
    said = index_words(told.values_list("new_info", flat=True))
    name = index_words(user.name for user in User.objects.filter(pk=user_id))  # none once the account is erased
    found: dict[UUID, tuple[UUID | None, Words]] = {}
    for row in versions_of(user_id):
        going = [line.text for line in from_json(row.lines) if events_of([line]) & set(events)]
        _, words = found.get(row.id, (None, said))
        found[row.id] = row.group_id, words | index_words(going)
    return {key: (group, words - name) for key, (group, words) in found.items()}


def _sources_gone(targets: Targets) -> set[str]:
    """The keys of the erased items and events. Erased messages are not among them: lines lose them with their items."""
    return {str(key) for label in (EVENT, ITEM) for key in targets.delete.get(label, ())}


def _remaining_lines(lines: tuple[PortraitLine, ...], targets: Targets, words: ErasedWords) -> tuple[PortraitLine, ...]:
    """The lines that are neither made of erased rows nor disclose the forgotten statement."""
    gone = _sources_gone(targets)
    by_words = words if ITEM in targets.delete else NO_WORDS  # what another event says, too, stays
    left = lines_holding(lines, lambda leaf: not (is_made_of(leaf, gone) or by_words.disclosed_in(leaf.text)))
    # A line that stands for several may disclose in its own words what none of its parts does.
    return tuple(kept for line in left for kept in (line.parts if by_words.disclosed_in(line.text) else (line,)))


def _clean_version(row: Any, targets: Targets, words: ErasedWords) -> bool:
    """Rewrite one version in place, because a new revision would leave the words to be erased in the old one."""
    lines = from_json(row.lines)
    left = _remaining_lines(lines, targets, words)
    if left == lines:
        return False
    made = storage.derived_columns(row, left)
    for name, value in made.items():
        setattr(row, name, value)
    type(row)._base_manager.filter(pk=row.pk).update(**made)
    return True
