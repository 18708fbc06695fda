"""What a connected program may try that its user keeps from everything remembered."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies
from hypothesis.stateful import rule
from rest_framework.test import APIClient

from memory.kinds import KINDS
from tests.isolation.portraits import any_one, anybody
from tests.isolation.services import Services
from tests.isolation.world import QUESTIONS, Person, one_of
from tests.support.oauth import Assistant

READ = ("memories?include_invalid=true", "sessions", "events", "entity-profiles/user/{}", "entity-profiles/group/{}",
        "sessions/{}/messages", "memories/{}/history", "receipts/{}", "context?query=What+do+I+prefer%3F")  # fmt: skip
SEARCHED = ("memories", "messages", "events", "entity-profiles")


class ConnectedPrograms(Services):
    """The rules of programs that are kept from every kind, on one world that all examples go on with."""

    assistant: str  # the registered program's id
    programs: dict[str, APIClient]  # by the user's id

    @rule(who=anybody, which=any_one, path=strategies.sampled_from(READ))
    def read_as_a_kept_program(self, who: int, which: int, path: str) -> None:
        person = self.world.people[who]
        answer = self._program_of(person).get(f"/api/{path.format(one_of(self.world.ids, which))}")
        self._require_nothing_shown(person, answer, path)

    @rule(who=anybody, which=any_one, path=strategies.sampled_from(SEARCHED))
    def search_as_a_kept_program(self, who: int, which: int, path: str) -> None:
        person = self.world.people[who]
        answer = self._program_of(person).post(f"/api/{path}/search", {"query": one_of(QUESTIONS, which)})
        self._require_nothing_shown(person, answer, path)

    @rule(who=anybody)
    def converse_through_a_kept_program(self, who: int) -> None:
        person = self.world.people[who]
        program = self._program_of(person)
        session = program.post("/api/sessions", {}).json()["session_id"]
        answer = program.post(f"/api/sessions/{session}/messages", {"content": "What do I prefer?"})
        self._require_nothing_shown(person, answer, "messages")

    def _program_of(self, person: Person) -> APIClient:
        if person.id not in self.programs:
            self.programs[person.id] = Assistant(self.assistant).connect(person.user)
            [program] = person.program.get("/api/auth/programs").json()["results"]
            kept = person.program.patch(f"/api/auth/programs/{program['program_id']}", {"withheld_kinds": KINDS})
            assert kept.status_code == 200
        return self.programs[person.id]

    def _require_nothing_shown(self, person: Person, answer: Any, asked: str) -> None:
        """What people state under Settings is no memory."""
        self.world.looked_through(person, answer, f"{asked} through a kept program")
        shown = [needle for needle in self.world.needles.found_in(answer.content.decode()) if needle.kind != "stated"]
        assert not shown, f"{asked} shows {shown} to a program that is kept from everything"
