"""Asks the model that a turn is routed to, and the large one where the small one fails."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace

from finclaw.brain.answers.fallback_answers import Interruption
from finclaw.brain.tools.reply_streams import AskModel, CompletedReply, record_pieces
from finclaw.brain.tools.rounds import ToolRounds, converse
from foundation.llm import SMALL_MODEL_UNAVAILABLE, LanguageModel, ModelRole, ModelUnavailable, model_id_for
from foundation.telemetry.degradations import collect_degradations, report_degraded


def converse_with_fallback(
    how: Callable[[LanguageModel, ModelRole], AskModel], model: LanguageModel, role: ModelRole, rounds: ToolRounds
) -> Generator[str | Interruption, None, CompletedReply]:
    """The answer of the model of this role, or of the large model where the small one fails.

    If the small one had begun to answer, an ``Interruption`` precedes what the large one says. Raises
    ``ModelUnavailable`` where the large one fails, too, or where a spending ceiling has replaced it by the small one.
    """
    if role == "large":
        return (yield from converse(how(model, role), rounds))
    heard: list[str] = []
    try:
        return (yield from record_pieces(converse(how(model, role), rounds), heard))
    except ModelUnavailable as error:
        if model.effective_id(model_id_for("large")) == model_id_for("small"):
            raise
        if any(heard):
            yield Interruption(error)
    return _without_small_model((yield from converse(how(model, "large"), rounds)))


def _without_small_model(completed: CompletedReply) -> CompletedReply:
    degraded: dict[str, None] = {}
    with collect_degradations(degraded):
        report_degraded(SMALL_MODEL_UNAVAILABLE)
    reply = completed.reply
    return replace(completed, reply=replace(reply, degraded=(*degraded, *reply.degraded)))
