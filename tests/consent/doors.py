"""Every door of the product through which something about a person is stored, and every one through which it is read.

The doors are listed here; what is expected behind them is read off the ``PersonalData`` declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any

from django.test import Client
from django.urls import URLPattern, reverse
from rest_framework.test import APIClient

from consent.declarations import PersonalModel, personal_models
from consent.exceptions import ConsentScopeMissing, ProfileConsentRequired
from consent.services import permit_for
from drift.services import give_feedback
from finclaw.api.urls import urlpatterns as api_routes
from finclaw.brain import promotion, turn
from finclaw.brain.research.slices import load_slices
from finclaw.brain.types import TurnRequest
from finclaw.web.urls import urlpatterns as page_routes
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.importing.imported_people import username_of
from memory.importing.services import ConversationImporter
from memory.importing.types import ImportedTurn, SessionPart
from memory.models import (
    Checkpoint,
    CognitiveEvent,
    EvolutionProposal,
    MemoryItem,
    ResearchTask,
    Session,
    Snapshot,
    Thread,
)
from memory.research.contexts import add_thread_context
from memory.research.threads import threads_of
from memory.research.types import TaskDraft
from memory.services.promotion import PromotionCandidate, propose
from tests.support.api import MISSING, code_of, post
from tests.support.api import signed_in as with_a_token
from tests.support.cast import make_person
from tests.support.organisation import employ
from tests.support.research import checkpoint_made, refreshed, snapshot_made, thread_kept
from tests.support.talk import open_session
from tests.web.support import signed_in as in_a_browser

CONVERSATION, NAME = "desk", "Ann"
# Words that only one door each says. What holds them, and may show them, is looked up in the tables.
STATED, VERBATIM, ENDED, SAID, IMPORTED = "quokka", "zanzibar", "tanganyika", "krugerrand", "serengeti"
FOR_A_THREAD = "okapi"
NEEDLES = (STATED, VERBATIM, ENDED, SAID, IMPORTED, FOR_A_THREAD)
STAYS_READABLE = {FOR_A_THREAD}  # blocked with its scope, and shown to its person all the same (seed A §10.4)
NEVER_FILLED = {"knowledge.HistoricalKnowledgeEntry"}  # what was promoted is never edited: it has no versions
# Keys, values and ids that we named, of what tells the rest.
OUR_WORDS_ALONE = {"personas.PersonaSignal", "memory.TrainingAssetCandidate", "drift.DriftSignal"}
SAY_NOTHING_OF_ANYBODY = {"unmatched", "schema", "docs"}
QUESTION = "Which villa, which boat, which coins and which safari?"  # asks for each without naming it


@dataclass(frozen=True)
class Held:
    """What a table holds of a person."""

    table: PersonalModel
    rows: tuple[dict[str, Any], ...]

    @property
    def scope(self) -> ConsentScope | None:
        return self.table.declaration.scope

    def tells(self, needle: str) -> bool:
        return any(needle in str(value) for row in self.rows for value in row.values())


def make_ann() -> User:
    """Somebody who may also be spoken for by an import: nobody can sign in to her account with a password."""
    ann = make_person(username_of(CONVERSATION, NAME))
    ann.display_name = NAME
    ann.set_unusable_password()
    ann.save()
    return ann


def use_every_door(user: User) -> None:
    """Research, say, state, add, end, correct, confirm, promote, search and import; a door may stay shut for want of a
    scope alone.
    """
    client = with_a_token(user)
    _research(user)  # before anything is stated: what a task ran with tells that too
    _state(client)
    for group_id in (None, _made(post(client, "/api/groups", {"name": "Desk"}), "group_id")):
        _talk(user, client, _made(post(client, "/api/sessions", {"group_id": group_id}), "session_id"))
    _add(client)
    drain()
    _portray(user, client)
    _change(client)
    _promote(user, client)
    _search(client)
    _import()
    drain()


def _research(user: User) -> None:
    """A thread with what was stated for it, looked at again, and two opinions of it, the other way round."""
    checkpoint_made(user)
    snapshot = snapshot_made(user)
    with suppress(ProfileConsentRequired):
        thread = thread_kept(user, snapshot)
        refreshed(user, thread, "Demand for SOL falls.")
        with suppress(ConsentScopeMissing), acting_as(user.pk):
            add_thread_context(permit_for(user), thread, {"user_focus_reason": f"The {FOR_A_THREAD}"})
    for rating in ("thumbs_up", "not_helpful"):
        with acting_as(user.pk):
            give_feedback(permit_for(user), user, f"snapshot:{snapshot.pk}", rating)


def _state(client: APIClient) -> None:
    stated = {"research_depth": "deep", "user_focus_reason": f"The {STATED}", "time_horizon": f"One {STATED} year"}
    _unless_refused(client.patch("/api/users/me/context", stated | {"confirm_financial": True}))
    _unless_refused(client.patch("/api/users/me/context", {"research_depth": "quick"}))
    _unless_refused(client.put("/api/persona/documents/user", {"body": f"Mention the {STATED} first."}))


def _talk(user: User, client: APIClient, session_id: str) -> None:
    blocks = ({"type": "text", "text": f"I collect {SAID} coins."},)
    turn.reply(user, TurnRequest(Session(pk=session_id).pk, blocks))
    turn.reply(user, TurnRequest(Session(pk=session_id).pk, ({"type": "text", "text": "Stop being so poetic!"},)))
    end = {"request_id": f"end-{session_id}", "new_info": f"I sold the boat named {ENDED}.", "force": True}
    assert post(client, f"/api/sessions/{session_id}/end", end).status_code == 202


def _add(client: APIClient) -> None:
    verbatim = {"text": f"My villa stands in {VERBATIM}.", "infer": False}
    _unless_refused(post(client, "/api/memories", verbatim))
    _unless_refused(post(client, "/api/memories", {"text": f"I follow the {SAID} coins.", "infer": True}))


def _portray(user: User, client: APIClient) -> None:
    for words in (f"Sails the boat named {ENDED}", f"Sails on the boat named {ENDED}"):
        client.patch(f"/api/entity-profiles/user/{user.pk}", {"body": f"- {words}"})


def _change(client: APIClient) -> None:
    for item in client.get("/api/memories").json()["results"]:
        if VERBATIM in item["content"]:
            path = f"/api/memories/{item['memory_id']}"
            corrected = client.patch(path, {"content": f"My villa stands near {VERBATIM}."}).json()
            assert post(client, f"/api/memories/{corrected['memory_id']}/confirm").status_code == 200


def _promote(user: User, client: APIClient) -> None:
    """The organisation may know of the villa: its owner agrees, an operator approves."""
    employ(Tenant.objects.get_or_create(name="Employer of everybody")[0], user)
    with acting_as(user.pk):
        permit = permit_for(user)
        item = MemoryItem.objects.filter(content__contains=VERBATIM, superseded_at=None).first()
        if item is None or user.tenant is None:
            return
        found = PromotionCandidate(item.pk, item.chain_id, item.content, "user", "", "fact", 0.9, 3, 2)
        assert propose(permit, found, user.tenant.pk, 0)
        proposal = EvolutionProposal.objects.get(chain_id=item.chain_id)
    assert post(client, f"/api/memories/proposals/{proposal.pk}", {"decision": "agree"}).status_code == 200
    with in_role(OPERATOR_ROLE):
        promotion.approve(proposal, user.pk)


def _search(client: APIClient) -> list[str]:
    answers = [post(client, f"/api/{kind}/search", {"query": QUESTION}) for kind in ("memories", "events")]
    assert {answer.status_code for answer in answers} == {200}
    return [answer.content.decode() for answer in answers]


def _import() -> None:
    said = ImportedTurn("1", NAME, "user", ({"type": "text", "text": f"We went on safari in the {IMPORTED}."},))
    ConversationImporter().add(SessionPart(CONVERSATION, (NAME,), "monday", (said,)))


def _made(answer: Any, key: str) -> str:
    assert answer.status_code == 201, answer.content
    return str(answer.json()[key])


def _unless_refused(answer: Any) -> None:
    if not 200 <= answer.status_code < 300:
        assert code_of(answer) in {"consent_scope_missing", "learning_stopped"}


def all_held(user: User) -> list[Held]:
    """The person's rows in every declared table, looked at from outside: hidden by no scope."""
    filled = [one for one in personal_models() if one.label not in NEVER_FILLED]
    with in_role(OPERATOR_ROLE):
        return [Held(one, tuple(one.rows_of(user.pk).values())) for one in filled]


def all_read(user: User) -> str:
    """What the person is shown, and what a model is told of them."""
    return f"{all_shown(user)}\n{all_told(user)}"


def all_shown(user: User, only: Container[str] | None = None) -> str:
    """What every address of the API and every page shows the person, and what a search finds."""
    return "\n".join([*shown_at(user, only).values(), *_search(with_a_token(user))])


def shown_at(user: User, only: Container[str] | None = None) -> dict[str, str]:
    """What each address of the API and each page shows the person; of all addresses, those in ``only``."""
    programs = ((with_a_token(user), "api", api_routes), (in_a_browser(user), "web", page_routes))
    return {
        address: _body(client, address)
        for client, app, routes in programs
        for address in _addresses(user, app, routes)
        if only is None or address in only
    }


def all_told(user: User) -> str:
    """What a model is told, in a conversation and about a thread."""
    return f"{_prompt(user)}\n{_slices(user)}"


def _body(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code < 500, address
    body: bytes = answer.getvalue()
    return body.decode()


def _prompt(user: User) -> str:
    """What is put before the model in a new conversation."""
    session = open_session(user)
    prompt = turn.prepare(user, TurnRequest(session.pk, ({"type": "text", "text": QUESTION},))).prompt
    return "\n".join(prompt.texts)


def _slices(user: User) -> str:
    """What a refresh of each thread is given of memory."""
    with acting_as(user.pk):
        permit = permit_for(user)
        drafts = [TaskDraft("thread_refresh", QUESTION, thread_id=thread.pk) for thread in threads_of(permit)]
        return str([load_slices(permit, user, draft).slices for draft in drafts])


def _addresses(user: User, app: str, routes: list[Any]) -> Iterator[str]:
    """Every address, with each id there is; what this test knows no id of is asked for one that is nobody's."""
    known = _ids(user)
    for route in routes:
        if not isinstance(route, URLPattern) or route.name in SAY_NOTHING_OF_ANYBODY:
            continue
        names = list(route.pattern.regex.groupindex)
        choices = [known.get(name) or [MISSING] for name in names]
        for values in product(*choices):
            yield reverse(f"{app}:{route.name}", kwargs=dict(zip(names, values, strict=True)))


def _ids(user: User) -> dict[str, list[str]]:
    """The person's rows by the name that addresses give their ids."""
    with acting_as(user.pk):
        return {
            "user_id": [str(user.pk)],
            "memory_id": _keys(MemoryItem), "event_id": [event.event_id for event in CognitiveEvent.objects.all()],
            "session_id": _keys(Session), "proposal_id": _keys(EvolutionProposal), "attempt": ["1"],
            "thread_id": _keys(Thread), "task_id": _keys(ResearchTask), "snapshot_id": _keys(Snapshot),
            "checkpoint_id": _keys(Checkpoint),
        }  # fmt: skip


def _keys(model: Callable[..., Any]) -> list[str]:
    return [str(row.pk) for row in model.objects.all()]  # type: ignore[attr-defined]
