"""What people may try with research: ask for it, keep it as a thread, look at that again, and forget it."""

from __future__ import annotations

from typing import Any

from hypothesis.stateful import rule

from tests.isolation.portraits import Portraits, any_one, anybody
from tests.isolation.world import Person, one_of

ROUTES = ("snapshot", "risk_challenge", "pre_execution", "evidence_audit", "narrative_mapper", "event_impact_reader")
PROMPTS = ("Fees of {} doubled in May 2025. What speaks for it?", "{}的费用在2025年5月翻倍了。有什么支持它？")


class Research(Portraits):
    """The rules of research, on one world that all examples go on with."""

    @rule(who=anybody, which=any_one)
    def ask_for_research(self, who: int, which: int) -> None:
        person = self.world.people[who]
        prompt = one_of(PROMPTS, which).format(self.world.needles.mint(person.id, "researched"))
        body = {"route": one_of(ROUTES, which // 2), "prompt": prompt}
        assert self.world.call(person, "post", "tasks", body).status_code == 202

    @rule(who=anybody, which=any_one)
    def keep_as_a_thread(self, who: int, which: int) -> None:
        person = self.world.people[who]
        made = [task["result"] for task in self._rows(person, "tasks") if task["result"]]
        snapshot = one_of([result["id"] for result in made if result["kind"] == "snapshot"], which)
        consent = self.world.call(person, "get", "users/me/profile-consent").json()
        if snapshot:
            word = self.world.needles.mint(person.id, "researched")
            body = {"title": f"About {word}", "save_user_context": False,
                    "consent_ack": {"consent_id": consent["consent_id"]}}  # fmt: skip
            answer = self.world.call(person, "post", f"snapshots/{snapshot}/save-as-thread", body)
            assert answer.status_code in {201, 400}  # it may be kept already

    @rule(who=anybody, which=any_one)
    def look_at_a_thread_again(self, who: int, which: int) -> None:
        person = self.world.people[who]
        thread = one_of(self._rows(person, "threads"), which)
        if thread:
            said = one_of(PROMPTS, which).format(self.world.needles.mint(person.id, "researched"))
            body = {"user_supplied_context": {"text": said}}
            self.world.call(person, "post", f"threads/{thread['thread_id']}/refresh", body)

    @rule(who=anybody, which=any_one)
    def forget_a_thread(self, who: int, which: int) -> None:
        person = self.world.people[who]
        thread = one_of(self._rows(person, "threads"), which)
        if thread:
            wish = {"scope": "thread", "target_id": thread["thread_id"], "confirm": person.user.username}
            assert self.world.call(person, "post", "users/me/erasure", wish).status_code == 202
            told = self.world.needles.found_in(f"{thread['title']} {thread['current_thesis']}")
            self.world.needles.forget(needle for needle in told if needle.kind == "researched")

    def _rows(self, person: Person, path: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.world.call(person, "get", path).json()["results"]
        return rows
