"""Decides whether an answer is followed by a question of the assistant's own, and by which: one at most.

None follows a refusal, an answer that asks something itself, or a message that declines; the user can switch them off.
None is told to a connected program, or to a key that is kept from kinds of memory: threads of research are closed to
them.
"""

from __future__ import annotations

from typing import Final

from consent.permit import Permit
from finclaw.brain.answers.types import PreparedTurn
from foundation.database.acting_program import acting_program
from foundation.language import ParsedMessage, asks_something, normalize, questions_in, split_sentences
from foundation.lexicon import read_lexicon
from foundation.llm import ModelUnavailable, Reply
from memory.models import WatchQuestion
from memory.services.follow_ups import open_question_on

_WORDS: Final = read_lexicon(__file__)
_REFUSES: Final = tuple(normalize(words) for words in _WORDS.words("refuses"))
_DECLINES: Final = frozenset(normalize(words) for words in _WORDS.words("declines"))
_NAMES: Final = ("tickers", "assets", "organisations")
_ENDS: Final = " \t\n.!,。！，~～"


def choose_follow_up(permit: Permit, turn: PreparedTurn, answer: Reply) -> WatchQuestion | None:
    """The question that follows the answer; None for most answers."""
    names = [name for slot in _NAMES for name in turn.intent.extracted_entities.get(slot, ())]
    if not names or not _may_follow(turn, answer):
        return None
    return open_question_on(permit, names)


def _may_follow(turn: PreparedTurn, answer: Reply) -> bool:
    context = turn.context
    is_plain_chat = (
        context.user.asks_follow_ups
        and turn.rule_answer is None
        and not context.in_group
        and context.request.repeats is None
        and context.request.program.history is None
        and not acting_program().is_confined
        and not answer.tool_calls
        and ModelUnavailable.code not in (*turn.degraded, *answer.degraded)
    )
    return is_plain_chat and not (
        questions_in(answer.text) or refuses(answer.text) or declines(context.request.text) or _asked_before(turn)
    )


def refuses(answer: str) -> bool:
    """Whether a sentence of an answer begins as a refusal does: "I can't …", "我不能……"."""
    return any(sentence.strip().startswith(_REFUSES) for sentence in split_sentences(ParsedMessage(answer).spoken))


def declines(message: str) -> bool:
    """Whether a message is nothing but a no: "No, thanks", "不用了"."""
    return ParsedMessage(message).spoken.strip(_ENDS) in _DECLINES


def _asked_before(turn: PreparedTurn) -> bool:
    """Whether the answer before ended with a question: two in a row are one too many."""
    said = [str(message.content) for message in turn.window.messages if message.role == "assistant"]
    return bool(said) and asks_something((split_sentences(said[-1]) or [""])[-1])
