"""The historian with a model that answers as told, over loopback HTTP: what is written, alerted, lost."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.test import override_settings

from bench.historian_ends import Ended, end_one, events_of, work
from foundation.alerts import ALERT_TOPIC
from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from memory.historian.rewriter import OFFLINE
from memory.historian.services import END_TOPIC
from memory.rewriting.absoluteness_checks import violations
from memory.rewriting.canonical_text import compose_text
from memory.rewriting.rule_rewriter import relative_times, rewrite_by_rules
from memory.rewriting.types import Draft, EventClock
from tests.support.model_server import Behaviour, Drops, Exchange, ModelServer, Refuses, Says, Stalls

SLOW_ENDS = 20  # each waits for the time-out
TIMEOUT_SECONDS = 0.2
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


@dataclass(frozen=True)
class Answers:
    """Answers with what ``texts`` makes of a question, after ``refused`` answers to it that are not absolute."""

    texts: Callable[[str], dict[str, str]]
    refused: int = 0
    answered: Counter[str] = field(default_factory=Counter)

    def perform(self, exchange: Exchange) -> None:
        messages = exchange.request.body["messages"]
        question = next(message["content"] for message in messages if message["role"] == "user")
        texts = relative(question) if self.answered[question] < self.refused else self.texts(question)
        self.answered[question] += 1
        Says((json.dumps(texts, ensure_ascii=False),)).perform(exchange)


def absolute(question: str) -> dict[str, str]:
    """The rules' rewrite of what the question holds, without the words that the gates would refuse."""
    told = dict(_ATTRIBUTE.findall(question.splitlines()[0]))
    clock = EventClock(datetime.fromisoformat(told["local_time"]), told["time_zone"])
    speaker = html.unescape(told["speaker"])
    draft = Draft(_element(question, "action_summary"), _element(question, "new_info"), speaker, told["assistant"])
    by_rules = rewrite_by_rules(draft, clock)
    did_what = _clean(by_rules.did_what, clock) or (draft.action_summary and f"{told['assistant']}.")
    new_info = _clean(by_rules.new_info, clock) or (draft.new_info and f"{speaker}.")
    text = compose_text(did_what, new_info, draft, clock.local.date())
    return {"did_what": did_what, "new_info": new_info, "canonical_text": text}


def relative(question: str) -> dict[str, str]:
    """An answer that is true to nothing the gates ask for."""
    texts = absolute(question)
    return {name: text and f"{text} She did it there yesterday. 她昨天在这里。" for name, text in texts.items()}


def inventing(question: str) -> dict[str, str]:
    """An answer with a figure that nobody gave."""
    texts = absolute(question)
    return {name: text and f"{text} 987654" for name, text in texts.items()}


def _element(question: str, tag: str) -> str:
    found = re.search(rf"<{tag}>([^<]*)</{tag}>", question)
    return html.unescape(found[1]) if found else ""


def _clean(text: str, clock: EventClock) -> str:
    while refused := violations(text):  # one word gone, another may no longer be excused by it
        text = text[: refused[-1].start] + text[refused[-1].end :]
    for word in relative_times(text, clock):
        text = text.replace(word, "")
    return " ".join(text.split())


SCENARIOS: dict[str, Behaviour] = {
    "well": Answers(absolute),
    "well, asked twice": Answers(absolute, refused=1),
    "well, asked thrice": Answers(absolute, refused=2),
    "badly": Answers(relative),
    "inventing": Answers(inventing),
    "nonsense": Says(("I would rather not.",)),
    "slowly": Stalls(),
    "refusing": Refuses(503),
    "breaking off": Drops(),
}


def by_a_model(ends: Sequence[Ended]) -> dict[str, dict[str, float]]:
    """The same ends again for each way of answering."""
    figures = {}
    for name, behaviour in SCENARIOS.items():
        chosen = ends[:: max(1, len(ends) // SLOW_ENDS)] if isinstance(behaviour, Stalls) else ends
        figures[name] = _met(name, behaviour, chosen)
    return figures


def _met(name: str, behaviour: Behaviour, ends: Sequence[Ended]) -> dict[str, float]:
    label = re.sub(r"\W+", "-", name)
    again = [
        replace(ended, request=replace(ended.request, request_id=f"{label}-{number}"))
        for number, ended in enumerate(ends)
    ]
    with (
        ModelServer(default=behaviour) as server,
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="bench", MODEL_LARGE="large",
                          MODEL_SMALL="small", MODEL_MAX_RETRIES=0, MODEL_TIMEOUT_SECONDS=_patience(behaviour),
                          ALERT_WEBHOOK_URL="http://127.0.0.1:9/alerts"),
    ):  # fmt: skip
        queued = [ended for ended in again if end_one(ended)]
        work()
        return _figures(queued)


def _patience(behaviour: Behaviour) -> float:
    return TIMEOUT_SECONDS if isinstance(behaviour, Stalls) else 20.0


def _figures(queued: Sequence[Ended]) -> dict[str, float]:
    events = events_of(queued)
    with in_role(WORKER_ROLE):
        alerts = OutboxMessage.objects.filter(topic=ALERT_TOPIC)
        told = alerts.count()
        alerts.delete()  # what the next way of answering is told of is its own
        ids = {event.event_id for event in events}
        rows = OutboxMessage.objects.filter(topic=END_TOPIC, state=OutboxMessage.State.DONE)
        results = [
            result
            for result in rows.values_list("result", flat=True)
            if result and result["results"][0]["event_id"] in ids
        ]
    return {
        "ends": len(queued),
        "lost jobs": len(queued) - len(events),
        "by the model": sum(event.rewritten_by != OFFLINE for event in events),
        "rewrites": sum(result.get("rewrites", 0) for result in results),
        "degraded": sum("degraded" in result for result in results),
        "alerts": told,
        "gate passed %": round(100 * sum(not violations(event.canonical_text) for event in events) / len(events), 2),
    }
