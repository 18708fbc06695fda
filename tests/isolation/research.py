"""What people may try with research: ask for it, keep it, look again, judge it, forget it; and try everybody else's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from hypothesis import strategies
from hypothesis.stateful import rule

from tests.isolation.portraits import Portraits, any_one, anybody
from tests.isolation.world import Person, Piece, one_of

ROUTES = ("snapshot", "risk_challenge", "pre_execution", "evidence_audit", "narrative_mapper", "event_impact_reader")
PROMPTS = (
    "Fees of {0} doubled in May 2025. Does that hold? Will {0} lead?",
    "{0}的费用在2025年5月翻倍了。这能持续吗?{0}会领先吗?",
)
RATINGS = ("agree", "disagree", "thumbs_up", "not_helpful")
READ_AT = {
    "task": ("tasks/{}", "/research/tasks/{}/", "/research/tasks/{}/forget/", "/research/?again={}"),
    "snapshot": ("snapshots/{}", "/research/snapshots/{}/", "/research/snapshots/{}/keep/"),
    "checkpoint": ("checkpoints/{}", "/research/checkpoints/{}/"),
    "thread": ("threads/{}", "threads/{}/refreshes", "/threads/{}/", "/threads/{}/forget/", "/research/?thread={}"),
    "question": (),
}
ASK, NOBODYS = "users/me/erasure", "00000000-0000-4000-8000-000000000000"
WRITTEN_AT: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "task": (
        ("tasks/{id}/cancel", {}), (ASK, {"scope": "task", "target_id": "{id}", "confirm": "{name}"}),
        ("feedback", {"related_object_ref": "report:{id}", "rating": "agree"}),
    ),
    "snapshot": (("feedback", {"related_object_ref": "snapshot:{id}", "rating": "agree"}),),
    "checkpoint": (("feedback", {"related_object_ref": "checkpoint:{id}", "rating": "agree"}),),
    "thread": (
        ("threads/{id}/refresh", {}), (ASK, {"scope": "thread", "target_id": "{id}", "confirm": "{name}"}),
        ("feedback", {"related_object_ref": "thread:{id}", "rating": "agree"}),
        ("tasks", {"route": "risk_challenge", "prompt": "Does it hold?", "thread_id": "{id}"}),
        ("tasks/preview", {"prompt": "Does it hold?", "thread_id": "{id}"}), ("sessions", {"thread_id": "{id}"}),
    ),
    "question": (("threads/{own}/watch-questions/{id}/resolve", {}),),
}  # fmt: skip


class Research(Portraits):
    """The rules of research, on one world that all examples go on with."""

    @rule(who=anybody, which=any_one, on_a_thread=strategies.booleans())
    def ask_for_research(self, who: int, which: int, on_a_thread: bool) -> None:
        person = self.world.people[who]
        thread = one_of(self._threads(person), which) if on_a_thread else None
        self._ask(person, which, one_of(ROUTES, which // 2), thread and thread["thread_id"])

    @rule(which=any_one)
    def keep_as_a_thread(self, which: int) -> None:
        self._keep(self._someones("task", which)[0], which)

    @rule(which=any_one)
    def look_at_a_thread_again(self, which: int) -> None:
        person, thread = self._someones("thread", which)
        word = self.world.needles.mint(person.id, "researched")
        body = {"user_supplied_context": {"text": one_of(PROMPTS, which).format(word)}}
        answer = self.world.call(person, "post", f"threads/{thread}/refresh", body)
        assert answer.status_code == 202
        self._asked(person, answer.json()["task_id"], thread, word)

    @rule(which=any_one, answer=strategies.sampled_from(("resolve", "reopen")))
    def answer_a_watch_question(self, which: int, answer: str) -> None:
        person, thread = self._someones("thread", which)
        asked = self.world.call(person, "get", f"threads/{thread}").json()["watch_questions"]
        question = one_of([one["question_id"] for one in asked], which)
        if question:
            self._know(Piece("question", question, person.id))
            path = f"threads/{thread}/watch-questions/{question}/{answer}"
            assert self.world.call(person, "post", path).status_code == 200

    @rule(which=any_one, rating=strategies.sampled_from(RATINGS))
    def judge_research(self, which: int, rating: str) -> None:
        person, _ = self._someones("task", which)
        results = [(task["task_id"], task["result"]) for task in self._tasks(person) if task["result"]]
        judged = [(task, f"{made['kind']}:{made['id']}") for task, made in results]
        judged += [(one["thread_id"], f"thread:{one['thread_id']}") for one in self._threads(person)]
        found = one_of(judged, which)
        if found:
            word = self.world.needles.mint(person.id, "researched")
            self._stand_in(found[0], word)
            body = {"related_object_ref": found[1], "rating": rating, "comment": f"Because of {word}"}
            assert self.world.call(person, "post", "feedback", body).status_code == 201

    @rule(who=anybody, which=any_one, by=any_one, is_own=strategies.booleans())
    def read_anyones_research(self, who: int, which: int, by: int, is_own: bool) -> None:
        """Their own, or as if it did not exist."""
        person, piece = self.world.people[who], one_of(self.world.pieces, which)
        if is_own and piece:
            person = next((one for one in self.world.people if one.id == piece.owner), person)
        path = one_of(READ_AT[piece.kind], by) if piece else None
        if path:
            address = path.format(piece.id)
            is_page = address.startswith("/")
            answer = self.world.open(person, address) if is_page else self.world.call(person, "get", address)
            assert answer.status_code == (200 if piece.owner == person.id else 404), address

    @rule(who=anybody, which=any_one, by=any_one)
    def write_to_anothers_research(self, who: int, which: int, by: int) -> None:
        """As if it did not exist: by its address, and by its id in every field that names one."""
        person = self.world.people[who]
        piece = one_of([one for one in self.world.pieces if one.owner != person.id], which)
        if piece:
            own = one_of(self._threads(person), which)
            names = {"id": piece.id, "name": person.user.username, "own": own["thread_id"] if own else NOBODYS}
            path, body = one_of(WRITTEN_AT[piece.kind], by)
            sent = {field: value.format(**names) for field, value in body.items()}
            assert self.world.call(person, "post", path.format(**names), sent).status_code == 404, path

    @rule(which=any_one)
    def forget_a_task(self, which: int) -> None:
        person, task = self._someones("task", which)
        answer = self._forget("task", task, person)
        assert answer.status_code in {202, 409}  # a thread may keep it
        if answer.status_code == 202:
            self._forgotten(person, task)

    @rule(which=any_one)
    def forget_a_thread(self, which: int) -> None:
        person, thread = self._someones("thread", which)
        assert self._forget("thread", thread, person).status_code == 202
        self._forgotten(person, *self.world.grown_from[thread])

    # --- helpers -------------------------------------------------------------------------------------
    def _tasks(self, person: Person) -> list[dict[str, Any]]:
        """The person's, whose results are known of from now on."""
        rows: list[dict[str, Any]] = self.world.call(person, "get", "tasks").json()["results"]
        for made in (row["result"] for row in rows if row["result"]):
            if made["kind"] in READ_AT:
                self._know(Piece(made["kind"], made["id"], person.id))
        return rows

    def _threads(self, person: Person) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.world.call(person, "get", "threads").json()["results"]
        return rows

    def _know(self, piece: Piece) -> None:
        if piece not in self.world.pieces:
            self.world.pieces.append(piece)

    def _someones(self, kind: Literal["task", "thread"], which: int) -> tuple[Person, str]:
        """Somebody who has one, and the id of theirs; where nobody has, somebody begins one."""
        there = {person.id: person for person in self.world.people}
        piece = one_of([one for one in self.world.pieces if one.kind == kind and one.owner in there], which)
        if piece:
            return there[piece.owner], piece.id
        person = one_of(self.world.people, which)
        task = self._ask(person, which, "snapshot")
        return (person, task) if kind == "task" else (person, self._keep(person, which))

    def _ask(self, person: Person, which: int, route: str, thread: str | None = None) -> str:
        word, stated = (self.world.needles.mint(person.id, "researched") for _ in range(2))
        body = {"route": route, "prompt": one_of(PROMPTS, which).format(word), "thread_id": thread,
                "user_context_overrides": {"user_focus_reason": f"Learn of {stated}"}}  # fmt: skip
        self.world.call(person, "post", "tasks/preview", body)
        answer = self.world.call(person, "post", "tasks", body)
        assert answer.status_code == 202
        self._asked(person, answer.json()["task_id"], thread, word, stated)
        return str(answer.json()["task_id"])

    def _keep(self, person: Person, which: int) -> str:
        """One of the person's snapshots as a thread, its id; empty where each is kept, or there is none."""
        self.world.work()
        threads = {task for grown in self.world.grown_from.values() for task in grown}
        made = [one for one in self._tasks(person) if one["task_id"] not in threads and one["result"]]
        task = one_of([one for one in made if one["result"]["kind"] == "snapshot"], which)
        if not task:
            return ""
        consent = self.world.call(person, "get", "users/me/profile-consent").json()
        word, stated = (self.world.needles.mint(person.id, "researched") for _ in range(2))
        body = {"title": f"About {word}", "save_user_context": True, "user_focus_reason": f"Learn of {stated}",
                "consent_ack": {"consent_id": consent["consent_id"]}}  # fmt: skip
        answer = self.world.call(person, "post", f"snapshots/{task['result']['id']}/save-as-thread", body)
        assert answer.status_code == 201
        thread = str(answer.json()["thread_id"])
        self._know(Piece("thread", thread, person.id))
        self._stand_in(thread, word, stated)
        self.world.grown_from[thread] = {thread, task["task_id"]}
        return thread

    def _asked(self, person: Person, task: str, thread: str | None, *words: str) -> None:
        self._know(Piece("task", task, person.id))
        self._stand_in(task, *words)
        if thread:
            self.world.grown_from[thread].add(task)

    def _stand_in(self, place: str, *words: str) -> None:
        for word in words:
            self.world.needles.by_word[word].session = place

    def _forget(self, scope: str, key: str, person: Person) -> Any:
        wish = {"scope": scope, "target_id": key, "confirm": person.user.username}
        return self.world.call(person, "post", ASK, wish)

    def _forgotten(self, person: Person, *places: str) -> None:
        """These tasks and threads, with what came of them: nobody's from now on."""
        for place in places:
            self.world.needles.forget(self.world.needles.private_of(person.id, ("researched",), place))
        tasks, threads = self._tasks(person), self._threads(person)
        left = {task["task_id"] for task in tasks} | {task["result"]["id"] for task in tasks if task["result"]}
        left |= {thread["thread_id"] for thread in threads}
        left |= {question["question_id"] for thread in threads for question in thread["watch_questions"]}
        gone = [one for one in self.world.pieces if one.owner == person.id and one.id not in left]
        self.world.pieces = [replace(one, owner="") if one in gone else one for one in self.world.pieces]
