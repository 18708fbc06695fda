"""What the applications of organisations may try: serve their own people, and try to reach everybody else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.test import Client
from hypothesis import strategies
from hypothesis.stateful import rule
from rest_framework.test import APIClient

from foundation.accounts.models import ServiceToken, User
from tests.isolation.portraits import any_one
from tests.isolation.research import Research
from tests.isolation.world import QUESTIONS, Person, World, one_of
from tests.support.service import program_with, served, tenant_with_token

NAMES = ("ann", "ben")  # the same in each organisation
READ = ("memories", "sessions", "events", "users/me/context", "tasks", "threads", "feedback", "erasures", "users/me",
        "context?query=What+do+I+prefer%3F")  # fmt: skip
READ_BY_ID = ("memories/{}", "sessions/{}/messages", "events/{}:1", "jobs/{}", "receipts/{}", "entity-profiles/user/{}")
CLOSED = ("groups", "auth/tokens", "imports", "invitations", "provisioning/tenants", "provisioning/service-tokens")


@dataclass(frozen=True)
class Application:
    """An organisation's program, and the people it serves."""

    token: ServiceToken
    plain: str
    people: list[Person]

    def person_called(self, name: str) -> Person:
        """The one it serves who goes by this name or id; somebody who may read nothing where it serves no such one."""
        mine = (one for one in self.people if name in (one.user.external_id, one.id))
        return next(mine, Person(User(username="nobody"), APIClient(), Client()))


def found_applications(world: World) -> list[Application]:
    """Two organisations, whose people have said something each."""
    made = []
    for name in ("Acme", "Globex"):
        token, plain = tenant_with_token(name)
        people = [Person(served(token, one), program_with(plain, one), Client()) for one in NAMES]
        for person in people:
            told = f"I prefer answers about {world.needles.mint(person.id, 'said')}."
            world.call(person, "post", "memories", {"text": told, "infer": False})
        made.append(Application(token, plain, people))
    return made


def _users_in(answer: Any) -> list[str]:
    """The users whom an answer with memories names."""
    rows = answer.json()
    return [row["user_id"] for row in (rows if isinstance(rows, list) else [rows]) if "user_id" in row]


class Services(Research):
    """The rules of service tokens, on one world that all examples go on with."""

    applications: list[Application]

    @rule(which=any_one, whom=any_one, infer=strategies.booleans())
    def serve(self, which: int, whom: int, infer: bool) -> None:
        person = one_of(one_of(self.applications, which).people, whom)
        told = f"I follow {self.world.needles.mint(person.id, 'said')}."
        self.world.call(person, "post", "memories", {"text": told, "infer": infer})
        self.world.call(person, "post", "memories/search", {"query": one_of(QUESTIONS, whom)})

    @rule(which=any_one, whom=any_one)
    def converse(self, which: int, whom: int) -> None:
        person = one_of(one_of(self.applications, which).people, whom)
        session = self.world.call(person, "post", "sessions", {}).json()["session_id"]
        told = f"I follow {self.world.needles.mint(person.id, 'said', session=session)}; what do I prefer?"
        self.world.call(person, "post", f"sessions/{session}/messages", {"content": told})

    @rule(which=any_one, whom=any_one, what=any_one, by=strategies.sampled_from(("id", "username", "external")))
    def reach(self, which: int, whom: int, what: int, by: str) -> None:
        """Anybody at all, by any of their names, for a list or an id that some answer held."""
        application = one_of(self.applications, which)
        other = one_of([*self.world.people, *(one for app in self.applications for one in app.people)], whom)
        name = {"id": other.id, "username": other.user.username, "external": other.user.external_id or "ann"}[by]
        path = one_of((*READ, *READ_BY_ID, *CLOSED), what).format(one_of(self.world.ids, what) or other.id)
        self._ask_as(application, name, "get", path)
        self._ask_as(application, name, "post", "memories/search", {"query": "What do I prefer?"})
        self._ask_as(application, "", "get", f"users/{name}/context")
        self._ask_as_mem0(application, name, one_of(self.world.ids, what) or other.id)
        self._ask_as_openai(application, name, one_of(self.world.ids, what) or other.id)

    @rule(which=any_one, whom=any_one)
    def look_people_up(self, which: int, whom: int) -> None:
        application = one_of(self.applications, which)
        other = one_of([*self.world.people, *(one for app in self.applications for one in app.people)], whom)
        self._ask_as(application, "", "get", "provisioning/users")
        for path in (f"provisioning/users/{other.id}", f"provisioning/users/{other.id}/consent"):
            self._ask_as(application, "", "get", path)

    def _ask_as_mem0(self, application: Application, name: str, memory: str) -> None:
        """The same by mem0's verbs, where a filter names the person, or nothing but a memory does."""
        client = program_with(application.plain)
        person = application.person_called(name)
        named = {"filters": {"OR": [{"user_id": name}, {"user_id": name}]}}
        for path, body in (("v3/memories/", named), ("v3/memories/search/", {"query": "What do I prefer?", **named})):
            answer = client.post(f"/{path}", body, format="json")
            self.world.looked_through(person, answer, f"post {path} for {name}")
        for path in (f"v1/memories/{memory}/", f"v1/memories/{memory}/history/"):
            answer = client.get(f"/{path}")
            owner = application.person_called(str(one_of(_users_in(answer), 0)))
            self.world.looked_through(owner, answer, f"get {path}")

    def _ask_as_openai(self, application: Application, name: str, key: str) -> None:
        """The same in OpenAI's protocol, where the body names the person, or the header beside an id."""
        person = application.person_called(name)
        asked = {"model": "finclaw", "user": name, "messages": [{"role": "user", "content": "What do I prefer?"}]}
        answer = program_with(application.plain).post("/v1/chat/completions", asked, format="json")
        self.world.looked_through(person, answer, f"post v1/chat/completions for {name}")
        for path in (f"v1/responses/{key}", f"v1/responses/{key}/input_items", f"v1/receipts/{key}"):
            self.world.looked_through(person, program_with(application.plain, name).get(f"/{path}"), f"get {path}")

    def _ask_as(self, application: Application, name: str, method: str, path: str, body: Any = None) -> None:
        client = program_with(application.plain, name)
        answer = getattr(client, method)(f"/api/{path}", body, format="json")
        named = name or path.removeprefix("users/").removesuffix("/context")
        person = application.person_called(named)
        if answer.status_code < 300 and "provisioning" not in path:
            assert person in application.people, f"{path} for {named} was answered"
        self.world.looked_through(person, answer, f"{method} /api/{path} as a service for {named or 'nobody'}")
