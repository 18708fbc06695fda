"""Divides the conversations of a file into portions, each for one transaction: several short ones, or a part of a long
one. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from memory.importing.chats.exported_chats import ExportedChat, ExportedMessage

STATEMENT_WEIGHT: Final = 12
"""How many messages take as long to store as one statement, which becomes a memory at once, with its vector."""
_CHARS_AS_MUCH_AS_A_MESSAGE: Final = 1_000


class Part(NamedTuple):
    """A conversation, or some consecutive messages of a long one; the last part ``ends_chat``."""

    chat: ExportedChat
    ends_chat: bool


def portions(chats: Iterable[ExportedChat], most: int) -> Iterator[list[Part]]:
    """The conversations in their order, a portion of a weight of ``most`` at most, or of one message that is heavier.

    A message weighs 1, a statement ``STATEMENT_WEIGHT``, and 1 more for each full thousand of its characters.
    """
    portion: list[Part] = []
    weight = 0
    for chat in chats:
        for part in _parts(chat, most):
            added = sum(map(_weight, part.chat.messages))
            if portion and weight + added > most:
                yield portion
                portion, weight = [], 0
            portion.append(part)
            weight += added
    if portion:
        yield portion


def _parts(chat: ExportedChat, most: int) -> Iterator[Part]:
    slices = list(_slices(chat.messages, most))
    if len(slices) > 1:  # the message that a missing title is made from may be in the first part only
        chat = replace(chat, title=chat.title or chat.first_said)
    for number, messages in enumerate(slices, 1):
        yield Part(replace(chat, messages=messages), ends_chat=number == len(slices))


def _slices(messages: Sequence[ExportedMessage], most: int) -> Iterator[tuple[ExportedMessage, ...]]:
    start = weight = 0
    for number, message in enumerate(messages):
        weight += _weight(message)
        if weight > most and number > start:
            yield tuple(messages[start:number])
            start, weight = number, _weight(message)
    yield tuple(messages[start:])


def _weight(message: ExportedMessage) -> int:
    return (STATEMENT_WEIGHT if message.validity else 1) + len(message.text) // _CHARS_AS_MUCH_AS_A_MESSAGE
