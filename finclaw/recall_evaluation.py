"""Evaluates recall: asks the evaluation set's questions and reads what reaches the prompt, now and as of a
past moment.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from consent.services import permit_for
from finclaw.brain.turn import prepare
from finclaw.brain.types import TurnRequest
from finclaw.brain.understanding.intent import classify
from foundation.database.acting_user import acting_as
from foundation.language import ParsedMessage
from memory.evaluation.dataset import EvaluationPersona, EvaluationQuestion
from memory.evaluation.persona_replay import ReplayedPersona, replay_persona
from memory.evaluation.recall_scores import RecallAnswer, RecalledStatement, RecallGate
from memory.models import CognitiveEvent
from memory.retrieval.services import embed_query, search
from memory.services.sessions import start_session
from memory.types import SearchQuery

# Measured in November 2026 with the embedded default: .70, .98, .02 and .015, and slightly more on the part that
# every test run uses. The gate is loose at first, and tightened with each gain.
GATE = RecallGate(min_precision=0.68, min_recall=0.97, max_forbidden=0.03, max_forbidden_memories=0.02)


def evaluate(
    personas: Iterable[EvaluationPersona], told: Callable[[], object] = lambda: None
) -> Iterator[RecallAnswer]:
    """Send each persona's statements and ask all its questions; calls ``told`` after each answered question.

    Call in a database of its own: its queue is drained, and the statements stay in it.
    """
    for persona in personas:
        known = replay_persona(persona)
        for question in persona.questions:
            yield _ask_question(known, question)
            told()


def _ask_question(told: ReplayedPersona, question: EvaluationQuestion) -> RecallAnswer:
    ask = _ask_as_of if question.is_about_the_past else _ask_now
    recalled, intent = ask(told, question)
    return RecallAnswer(told.persona.name, told.persona.language, question, tuple(recalled), intent)


def _ask_now(told: ReplayedPersona, question: EvaluationQuestion) -> tuple[list[RecalledStatement], str]:
    """What a turn with the question would put into the prompt, in a new conversation."""
    user = told.user
    with acting_as(user.pk):
        group_id = told.group_id if question.place == "group" else None
        session = start_session(permit_for(user), user, group_id=group_id)
    turn = prepare(user, TurnRequest(session.pk, ({"type": "text", "text": question.text},)))
    accepted = [decision.candidate for decision in turn.assembly.decisions if decision.accepted]
    taken = [candidate for candidate in accepted if candidate.kind != "profile"]  # it stands in every prompt
    said_in = _source_messages(told, {candidate.id for candidate in taken if candidate.kind == "event"})
    recalled = [
        RecalledStatement(
            found.kind, told.sources.get(said_in.get(found.id, found.id), ""), found.is_past or found.is_supposed
        )
        for found in taken
    ]
    return recalled, turn.intent.intent_type


def _source_messages(told: ReplayedPersona, events: Collection[UUID]) -> dict[UUID, UUID]:
    """The first source message of each of these events."""
    with acting_as(told.user.pk):
        named = CognitiveEvent.objects.filter(pk__in=events).values_list("pk", "message_ids")
        return {event: messages[0] for event, messages in named if messages}


def _ask_as_of(told: ReplayedPersona, question: EvaluationQuestion) -> tuple[list[RecalledStatement], str]:
    """The best results of a search as of that past moment; turns are not used, because they recall the present."""
    query = SearchQuery(
        question.text,
        ("item",),
        top_k=settings.RETRIEVAL_TOP_K,
        valid_at=question.valid_at,
        known_at=told.learned.get(question.known_after, timezone.now()),
    )
    embedded = embed_query(question.text)
    with acting_as(told.user.pk):
        found = search(permit_for(told.user), query, embedded)
    recalled = [RecalledStatement(hit.kind, told.sources.get(hit.id, "")) for hit in found.hits]
    return recalled, classify(ParsedMessage(question.text)).intent_type
