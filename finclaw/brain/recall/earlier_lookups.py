"""Attaches to a conversation's messages the answers of a program's tools that followed them, which are not stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from finclaw.brain.types import EarlierLookup
from foundation.llm import Message


def with_lookups(messages: Sequence[Message], lookups: Sequence[EarlierLookup]) -> tuple[Message, ...]:
    """The messages, each of the user's with the tool rounds that followed it; matched from the latest one back.

    Rounds whose message is not among these are left out.
    """
    return tuple(_with_rounds(messages[::-1], list(lookups)))[::-1]


def _with_rounds(messages: Sequence[Message], left: list[EarlierLookup]) -> Iterator[Message]:
    for message in messages:
        found = next((one for one in reversed(left) if _are_same(one, message)), None)
        if found is not None:
            del left[left.index(found) :]
        yield replace(message, rounds=found.rounds) if found else message


def _are_same(lookup: EarlierLookup, message: Message) -> bool:
    return message.role == "user" and lookup.question.split() == message.content.split()
