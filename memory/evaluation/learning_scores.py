"""Scores what was learned from labelled chats: kept, kept wrongly, changed rightly. Pure.

A statement counts as kept only if a memory that is in force, and was learned from the statement's own message, holds
it. A change counts as right if the old statement had been kept, the new one is kept, and the old one is no longer in
force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal
from uuid import UUID

from foundation.text import tokenize
from memory.evaluation.labelled_chats import LabelledChat, LabelledChatMessage

Standing = Literal["in_force", "asked"]
TOP: Final = 3  # memories of an answer that are looked at


@dataclass(frozen=True)
class LearnedMemory:
    """A memory after a message: in force, or awaiting the user's confirmation ("asked").

    ``taught_by`` are the positions of the messages that it was learned from.
    """

    chain_id: UUID
    content: str
    standing: Standing
    taught_by: frozenset[int]


@dataclass(frozen=True)
class LearnedChat:
    """A chat and what was learned from it.

    ``after`` holds all memories after each message, ``answer`` the answer to the chat's question, ``top`` the first
    ``TOP`` memories in the prompt for it.
    """

    chat: LabelledChat
    after: tuple[tuple[LearnedMemory, ...], ...]
    answer: str = ""
    top: tuple[str, ...] = ()


@dataclass
class LearningFigures:
    """Counts over chats.

    ``kept_or_asked`` adds memories that await the user's confirmation. ``idle_*`` are about messages that teach
    nothing. ``stale_*`` count the chats whose answer, or whose ``TOP`` memories, contain what must no longer be said,
    out of the ``must_forget`` chats. ``put_away`` and ``ends`` count memories no longer in force after a change.
    """

    statements: int = 0
    kept: int = 0
    kept_or_asked: int = 0
    memories: int = 0
    wrong_memories: int = 0
    asked_memories: int = 0
    wrong_asked: int = 0
    idle_messages: int = 0
    idle_taught: int = 0
    idle_asked: int = 0
    changes: int = 0
    first_kept: int = 0
    put_away: int = 0
    changed_rightly: int = 0
    ends: int = 0
    wrong_ends: int = 0
    asked_about: int = 0
    answered_rightly: int = 0
    must_forget: int = 0
    stale_answers: int = 0
    stale_top: int = 0

    def as_json(self) -> dict[str, int | float | None]:
        """All counts, and the shares computed from them."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | self.shares()

    def shares(self) -> dict[str, float | None]:
        """The shares by their names in tables; None where there is nothing to share."""
        return {
            "recall": _ratio(self.kept, self.statements),
            "recall with asked": _ratio(self.kept_or_asked, self.statements),
            "precision": _ratio(self.memories - self.wrong_memories, self.memories),
            "idle taught": _ratio(self.idle_taught, self.idle_messages),
            "idle asked": _ratio(self.idle_asked, self.idle_messages),
            "changed rightly": _ratio(self.changed_rightly, self.changes),
            "wrong ends": _ratio(self.wrong_ends, self.ends),
            "stale answers": _ratio(self.stale_answers, self.must_forget),
            f"stale top {TOP}": _ratio(self.stale_top, self.must_forget),
        }


@dataclass(frozen=True)
class LabelMiss:
    """A difference from the labels: in which chat, of what kind, and the text concerned."""

    chat: str
    what: str
    words: str


def figures_of(learned: Iterable[LearnedChat]) -> tuple[LearningFigures, list[LabelMiss]]:
    """The figures of these chats, and every miss."""
    counted = _Counting()
    for chat in learned:
        counted.count(chat)
    return counted.figures, counted.misses


def figures_by(learned: Sequence[LearnedChat], key: Callable[[LearnedChat], str]) -> Mapping[str, LearningFigures]:
    """The figures for each non-empty value of ``key``, in order."""
    names = sorted({key(chat) for chat in learned} - {""})
    return {name: figures_of(chat for chat in learned if key(chat) == name)[0] for name in names}


class _Counting:
    def __init__(self) -> None:
        self.figures = LearningFigures()
        self.misses: list[LabelMiss] = []

    def count(self, learned: LearnedChat) -> None:
        for position, message in enumerate(learned.chat.messages):
            taught = [memory for memory in learned.after[position] if position in memory.taught_by]
            self._count_message(learned.chat, message, taught)
        if learned.chat.change:
            self._count_change(learned)
        if learned.chat.question:
            self._count_answer(learned)

    def _count_message(self, chat: LabelledChat, message: LabelledChatMessage, taught: Sequence[LearnedMemory]) -> None:
        figures = self.figures
        in_force = [memory.content for memory in taught if memory.standing == "in_force"]
        asked = [memory.content for memory in taught if memory.standing == "asked"]
        kept, wrong = match_statements(message, in_force)
        offered, wrongly_asked = match_statements(message, asked)
        figures.statements += len(message.statements)
        figures.kept += len(kept)
        figures.kept_or_asked += len(kept | offered)
        figures.memories += len(in_force)
        figures.wrong_memories += len(wrong)
        figures.asked_memories += len(asked)
        figures.wrong_asked += len(wrongly_asked)
        if not message.statements:
            figures.idle_messages += 1
            figures.idle_taught += bool(in_force)
            figures.idle_asked += bool(asked)
        for number, statement in enumerate(message.statements):
            if number not in kept:
                self._miss(chat, "only asked" if number in offered else "missed", statement.label)
        for content in wrong:
            self._miss(chat, "kept wrongly", content)
        for content in wrongly_asked:
            self._miss(chat, "asked wrongly", content)

    def _count_change(self, learned: LearnedChat) -> None:
        figures, chat = self.figures, learned.chat
        first, second = chat.messages[0], chat.messages[-1]
        before = {memory.chain_id: memory for memory in _in_force(learned.after[0])}
        after = _in_force(learned.after[-1])
        old = _changed_among(list(before.values()), chat)
        figures.changes += 1
        figures.first_kept += bool(old)
        standing = [memory for memory in old if any(_is_unchanged(memory, other) for other in after)]
        taught = [memory.content for memory in after if len(chat.messages) - 1 in memory.taught_by]
        new = bool(match_statements(second, taught)[0])
        is_right = bool(old) and new and (len(standing) == len(old) if chat.change == "both" else not standing)
        figures.put_away += bool(old) and not standing
        figures.changed_rightly += is_right
        ended = [memory for memory in before.values() if not any(_is_unchanged(memory, other) for other in after)]
        wrongly = ended if chat.change == "both" else [memory for memory in ended if memory not in old]
        figures.ends += len(ended)
        figures.wrong_ends += len(wrongly)
        if not is_right:
            what = "first not kept" if not old else "still in force" if standing and new else "second not kept"
            self._miss(chat, f"{chat.change}: {what}", f"{first.text} → {second.text}")
        for memory in wrongly:
            self._miss(chat, "put away wrongly", memory.content)

    def _count_answer(self, learned: LearnedChat) -> None:
        figures, chat = self.figures, learned.chat
        figures.asked_about += 1
        figures.answered_rightly += chat.must is None or chat.must.search(learned.answer) is not None
        if chat.must_not is None:
            return
        figures.must_forget += 1
        stale = chat.must_not.search(learned.answer) is not None
        stale_top = any(chat.must_not.search(text) for text in learned.top)
        figures.stale_answers += stale
        figures.stale_top += stale_top
        if stale or stale_top:
            self._miss(chat, "stale answer" if stale else f"stale top {TOP}", f"{chat.question} {learned.answer}")

    def _miss(self, chat: LabelledChat, what: str, words: str) -> None:
        self.misses.append(LabelMiss(chat.name, what, " ".join(words.split())))


def match_statements(message: LabelledChatMessage, contents: Sequence[str]) -> tuple[set[int], list[str]]:
    """The positions of the statements that the memories hold, and the memories that hold none.

    Where sentences are labelled, a memory counts for the sentence with which it shares the most index tokens; on a tie,
    for the first of these.
    """
    held: set[int] = set()
    wrong: list[str] = []
    sentences = [statement.sentence for statement in message.statements] + list(message.other_sentences)
    for content in contents:
        found = {
            number
            for number, statement in enumerate(message.statements)
            if statement.pattern and statement.pattern.search(content)
        }
        if message.statements and all(statement.pattern is None for statement in message.statements):
            nearest = _nearest(content, sentences)
            found |= {nearest} & set(range(len(message.statements)))
        held |= found
        if not found:
            wrong.append(content)
    return held, wrong


def _nearest(content: str, sentences: Sequence[str]) -> int:
    words = set(tokenize(content))
    shared = [len(words & set(tokenize(sentence))) for sentence in sentences]
    return max(range(len(shared)), key=lambda number: shared[number]) if any(shared) else -1


def _in_force(memories: Iterable[LearnedMemory]) -> list[LearnedMemory]:
    return [memory for memory in memories if memory.standing == "in_force"]


def _changed_among(memories: Sequence[LearnedMemory], chat: LabelledChat) -> list[LearnedMemory]:
    """The first message's memories that the second changes.

    These are the memories that contain what must no longer be said, or else all that hold one of its statements.
    """
    forgotten = [memory for memory in memories if chat.must_not and chat.must_not.search(memory.content)]
    return forgotten or [memory for memory in memories if match_statements(chat.messages[0], [memory.content])[0]]


def _is_unchanged(old: LearnedMemory, new: LearnedMemory) -> bool:
    return old.chain_id == new.chain_id and old.content == new.content


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def report_of(learned: Sequence[LearnedChat]) -> dict[str, Any]:
    """The whole report as JSON: figures by language and by change, and the misses."""
    _, misses = figures_of(learned)
    return {
        "languages": {
            name: figures.as_json() for name, figures in figures_by(learned, lambda chat: chat.chat.language).items()
        },
        "changes": {
            name: figures.as_json() for name, figures in figures_by(learned, lambda chat: chat.chat.change).items()
        },
        "misses": [vars(miss) for miss in misses],
    }
