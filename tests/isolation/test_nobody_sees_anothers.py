"""Random operations by twenty people in five groups: no answer shows anybody another's words (T-3, C-9).

Everybody's every text holds a word of its own; every answer, page, stream and archive is searched for such words.
``ISOLATION_OPERATIONS`` sets how many operations there are; ``make prove`` runs ten thousand, and a thousand with
``ISOLATION_STORE=qdrant``: then every search asks the vector store, whatever few entries there are.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import pytest
from django.http import HttpResponse
from hypothesis import HealthCheck, Phase, strategies
from hypothesis import settings as hypothesis_settings
from hypothesis.stateful import rule, run_state_machine_as_test
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.isolation.portraits import any_one, anybody
from tests.isolation.programs import ConnectedPrograms
from tests.isolation.services import found_applications
from tests.isolation.vector_store import require_points_of_entries_alone, search_through_store
from tests.isolation.world import QUESTIONS, Group, Person, World, one_of
from tests.support.oauth import Assistant

THROUGH_STORE = os.environ.get("ISOLATION_STORE") == "qdrant"
OPERATIONS = int(os.environ.get("ISOLATION_OPERATIONS", "60"))
_STEPS = 60  # of one example: as many as hypothesis draws with ease
_ASKED = 45  # by an example, at the least: some steps find nothing to do, some ask twice

SENTENCES = (
    "I prefer answers about {}.",
    "I follow {}.",
    "我喜欢{}的分析。",
    "Please always explain {} first.",
    "Yesterday I read about {}; what do I prefer?",
)
LISTS = (
    "users/me", "groups", "invitations", "exports", "sessions", "memories", "memories?include_invalid=true", "events",
    "erasures",
    "auth/tokens", "users/me/context", "users/me/profile-consent/history", "persona/documents", "persona/preferences",
    "tasks", "threads", "skills/recommended", "bookmarks", "tasks/all", "media",
    "knowledge?state=all", "knowledge/relations",
)  # fmt: skip
BY_ID = (
    "groups/{}", "users/{}/context", "users/{}/profile-consent", "users/{}/profile-consent/history", "exports/{}",
    "sessions/{}", "sessions/{}/messages", "sessions/{}/persona", "memories/{}", "memories/{}/history",
    "memories?q={}", "jobs/{}", "receipts/{}", "events/{}:1", "erasures/{}", "erasures/{}/certificate",
    "entity-profiles/user/{}", "entity-profiles/group/{}", "entity-profiles/user/{}/revisions",
    "entity-profiles/group/{}/revisions", "tasks/{}",
    "tasks/{}/status", "tasks/{}/result", "threads/{}", "threads/{}/refreshes", "snapshots/{}",
    "checkpoints/{}", "media/{}", "media/{}/content", "media/{}/thumbnail",
)  # fmt: skip
PAGES = (
    "/chat/", "/chat/?new=1", "/memories/", "/memories/?q=answers&state=all", "/events/", "/events/?q=read",
    "/privacy/", "/privacy/copy/", "/privacy/erasures/", "/settings/", "/settings/keys/", "/settings/signed-in/",
    "/research/", "/research/?skill=first", "/threads/", "/privacy/withdraw/", "/knowledge/",
    "/bookmarks/", "/tasks/",
)  # fmt: skip
PAGES_BY_ID = (
    "/chat/{}/", "/chat/{}/?earlier_than=100", "/chat/{}/forget/", "/memories/{}/", "/memories/{}/forget/",
    "/events/{}:1/", "/events/{}:1/forget/", "/privacy/erasures/{}/", "/certificate/{}/", "/threads/{}/preferences/",
    "/research/tasks/{}/", "/research/tasks/{}/forget/", "/research/snapshots/{}/", "/research/checkpoints/{}/",
    "/files/{}/forget/",
)  # fmt: skip
ADMIN = (
    "/admin/", "/admin/memory/session/", "/admin/memory/conversationevent/", "/admin/memory/memoryitem/",
    "/admin/memory/cognitiveevent/", "/admin/memory/cognitivejob/", "/admin/memory/usercontext/",
    "/admin/memory/searchentry/", "/admin/memory/receipt/", "/admin/consent/auditevent/", "/admin/consent/tombstone/",
    "/admin/personas/userdocument/", "/admin/personas/personastate/", "/admin/personas/personasignal/",
    "/admin/consent/dataexport/", "/admin/accounts/user/", "/admin/accounts/chatgroup/", "/admin/outbox/outboxmessage/",
    "/admin/memory/researchtask/", "/admin/memory/trainingassetcandidate/", "/admin/drift/driftsignal/",
)  # fmt: skip


class Everybody(ConnectedPrograms):
    """What people may try, on one world that all examples go on with."""

    # --- saying --------------------------------------------------------------------------------------
    @rule(who=anybody, which=any_one, in_group=strategies.booleans())
    def begin(self, who: int, which: int, in_group: bool) -> None:
        person = self.world.people[who]
        group = one_of(self.world.groups_of(person), which) if in_group else None
        title = self.world.needles.mint(person.id, "title", group=group.id if group else "")
        body = {"title": f"About {title}"} | ({"group_id": group.id} if group else {})
        session = self.world.call(person, "post", "sessions", body).json()["session_id"]
        self.world.needles.by_word[title].session = session
        (group or person).sessions.append(session)

    @rule(who=anybody, which=any_one, sentence=any_one, how=strategies.sampled_from(("at once", "stream", "page")))
    def say(self, who: int, which: int, sentence: int, how: str) -> None:
        person = self.world.people[who]
        chosen = one_of(self.world.reachable(person), which)
        if chosen is None:
            return
        session, group = chosen
        content = self._sentence(person, sentence, group=group, session=session)
        if how == "page":
            self.world.open(person, f"/chat/{session}/send/", {"content": content})
        else:
            stream = "?stream=true" if how == "stream" else ""
            self.world.call(person, "post", f"sessions/{session}/messages{stream}", {"content": content})

    @rule(who=anybody, sentence=any_one, infer=strategies.booleans())
    def add(self, who: int, sentence: int, infer: bool) -> None:
        person = self.world.people[who]
        self.world.call(person, "post", "memories", {"text": self._sentence(person, sentence), "infer": infer})

    @rule(who=anybody)
    def state(self, who: int) -> None:
        person = self.world.people[who]
        stated = {"user_focus_reason": f"Learn about {self.world.needles.mint(person.id, 'stated')}"}
        self.world.call(person, "patch", "users/me/context", stated)

    @rule(who=anybody, which=any_one)
    def end(self, who: int, which: int) -> None:
        person = self.world.people[who]
        chosen = one_of(self.world.reachable(person), which)
        if chosen is None:
            return
        session, group = chosen
        told = self._sentence(person, 0, group=group, session=session)
        body = {"request_id": f"{session}", "end_seq": which + 1, "new_info": told}
        self.world.call(person, "post", f"sessions/{session}/end", body)

    @rule(who=anybody, which=any_one)
    def correct(self, who: int, which: int) -> None:
        person = self.world.people[who]
        memory = one_of(self.world.call(person, "get", "memories").json()["results"], which)
        if memory:
            right = self._sentence(person, 0, group=memory["group_id"] or "")
            self.world.call(person, "patch", f"memories/{memory['memory_id']}", {"content": right})

    # --- the persona ---------------------------------------------------------------------------------
    @rule(who=anybody)
    def say_how_to_be_served(self, who: int) -> None:
        person = self.world.people[who]
        body = {"body": f"Mention {self.world.needles.mint(person.id, 'stated')} first."}
        assert self.world.call(person, "put", "persona/documents/user", body).status_code in {200, 409}

    @rule(who=anybody, which=any_one)
    def choose_a_mode(self, who: int, which: int) -> None:
        """In a group too, whose other members never see why."""
        person = self.world.people[who]
        chosen = one_of(self.world.reachable(person), which)
        if chosen is not None:
            session, group = chosen
            note = self.world.needles.mint(person.id, "note", session="" if group else session)
            body = {"mode": one_of(("strict", "idol"), which), "notes": f"For {note}"}
            assert self.world.call(person, "put", f"sessions/{session}/persona", body).status_code in {200, 404}

    # --- groups --------------------------------------------------------------------------------------
    @rule(owner=anybody, whom=anybody, which=any_one)
    def join(self, owner: int, whom: int, which: int) -> None:
        group: Group = one_of(self.world.groups, which)
        person = self.world.people[whom]
        given = {"username": person.user.username}
        answer = self.world.call(self.world.people[owner], "post", f"groups/{group.id}/members", given)
        if answer.status_code != 202:
            return
        accepted = self.world.call(person, "post", f"invitations/{answer.json()['invitation_id']}/accept")
        if accepted.status_code == 200:
            group.members.add(person.id)
            group.ever.add(person.id)

    @rule(who=anybody, which=any_one)
    def leave(self, who: int, which: int) -> None:
        person = self.world.people[who]
        group = one_of(self.world.groups_of(person), which)
        if group is not None and len(group.members) > 1:
            self.world.call(person, "delete", f"groups/{group.id}/members/{person.id}")
            group.members.discard(person.id)

    # --- looking -------------------------------------------------------------------------------------
    @rule(who=anybody, path=strategies.sampled_from(LISTS))
    def read_a_list(self, who: int, path: str) -> None:
        assert self.world.call(self.world.people[who], "get", path).status_code == 200

    @rule(who=anybody, which=any_one, path=strategies.sampled_from(BY_ID))
    def try_an_id(self, who: int, which: int, path: str) -> None:
        if self.world.ids:
            self.world.call(self.world.people[who], "get", path.format(one_of(self.world.ids, which)))

    @rule(who=anybody, whom=any_one, where=strategies.sampled_from(("memories", "events")), which=any_one)
    def search(self, who: int, whom: int, where: str, which: int) -> None:
        """For words that all use, or for the very word of somebody else."""
        needle = one_of(list(self.world.needles.by_word), whom)
        query = one_of(QUESTIONS, which) if which % 2 or not needle else f"answers about {needle}"
        self.world.call(self.world.people[who], "post", f"{where}/search", {"query": query, "top_k": 50})

    @rule(who=anybody, which=any_one, question=any_one)
    def search_a_group(self, who: int, which: int, question: int) -> None:
        group = one_of(self.world.groups, which)
        given = {"query": one_of(QUESTIONS, question), "target_group_id": group.id}
        self.world.call(self.world.people[who], "post", "events/search", given)

    @rule(who=anybody, path=strategies.sampled_from(PAGES))
    def open_a_page(self, who: int, path: str) -> None:
        assert self.world.open(self.world.people[who], path).status_code == 200

    @rule(who=anybody, which=any_one, path=strategies.sampled_from(PAGES_BY_ID))
    def try_a_page(self, who: int, which: int, path: str) -> None:
        if self.world.ids:
            self.world.open(self.world.people[who], path.format(one_of(self.world.ids, which)))

    @rule(who=anybody, path=strategies.sampled_from(ADMIN))
    def open_the_admin(self, who: int, path: str) -> None:
        if who == 0:
            self.world.open_as_operator(path)
        else:
            answer = self.world.open(self.world.people[who], path)
            assert answer.request["PATH_INFO"] == "/admin/login/"

    @rule(who=anybody)
    def export(self, who: int) -> None:
        person = self.world.people[who]
        asked = self.world.call(person, "post", "users/me/export").json()
        self.world.work()
        made = self.world.call(person, "get", f"exports/{asked['export_id']}").json()
        if made["download_url"]:
            person.archives.append(made["download_url"].partition("/api/")[2])
            self.world.call(person, "get", person.archives[-1])

    @rule(who=anybody, which=any_one)
    def fetch_again(self, who: int, which: int) -> None:
        person = self.world.people[who]
        if person.archives:
            self.world.call(person, "get", one_of(person.archives, which))

    # --- forgetting ----------------------------------------------------------------------------------
    @rule(who=anybody, which=any_one)
    def forget_a_memory(self, who: int, which: int) -> None:
        self._forget_row(self.world.people[who], "memories", "memory_id", which)

    @rule(who=anybody, which=any_one)
    def forget_an_event(self, who: int, which: int) -> None:
        """What memories tell as well stays in them, as the confirmation says."""
        person = self.world.people[who]
        told = self.world.needles.found_in(str(self.world.call(person, "get", "memories").json()["results"]))
        self._forget_row(person, "events", "event_id", which, {needle.word for needle in told})

    @rule(who=anybody, which=any_one)
    def forget_a_conversation(self, who: int, which: int) -> None:
        person = self.world.people[who]
        session = one_of(person.sessions, which)
        if session and self.world.call(person, "delete", f"sessions/{session}").status_code == 202:
            person.sessions.remove(session)
            self.world.needles.forget(self.world.needles.private_of(person.id, session=session))

    @rule(who=anybody, scope=strategies.sampled_from(("memories", "profile", "account")), chance=any_one)
    def forget_everything(self, who: int, scope: str, chance: int) -> None:
        if chance % 4:
            return  # else nobody would keep anything
        person = self.world.people[who]
        wish = {"scope": scope, "confirm": person.user.username}
        receipt = self.world.call(person, "post", "users/me/erasure", wish)
        if receipt.status_code != 202:
            return
        if scope == "account":
            self.world.work()
            self._require_proof(receipt.json()["certificate_url"])
            self.world.leave_for_good(person)
        kinds = ("stated",) if scope == "profile" else ("said", "title")
        self.world.needles.forget(self.world.needles.private_of(person.id, kinds))

    @rule()
    def work(self) -> None:
        self.world.work()

    # --- helpers -------------------------------------------------------------------------------------
    def _sentence(self, person: Person, number: int, *, group: str = "", session: str = "") -> str:
        word = self.world.needles.mint(person.id, "said", group=group, session=session)
        return str(one_of(SENTENCES, number)).format(word)

    def _require_proof(self, certificate_url: str) -> None:
        """It was carried out: anybody with the link is shown the certificate."""
        assert APIClient().get(certificate_url).status_code == 200

    def _forget_row(self, person: Person, path: str, key: str, which: int, staying: Collection[str] = ()) -> None:
        rows = self.world.call(person, "get", path).json()["results"]
        own = [row for row in rows if not row.get("group_id")]
        row = one_of(own, which)
        if row and self.world.call(person, "delete", f"{path}/{row[key]}").status_code == 202:
            named = self.world.needles.found_in(str(row))
            self.world.needles.forget(one for one in named if not one.group and one.word not in staying)


@pytest.mark.timeout(max(120, OPERATIONS))
@pytest.mark.django_db(transaction=True)
def test_nobody_sees_anothers_words(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finclaw.brain.recall.window.ACTIVE_WINDOW", 80)  # so that conversations soon have summaries
    settings.ERASURE_JOURNAL, settings.EXPORT_DIR = str(tmp_path / "journal.jsonl"), tmp_path / "exports"
    if THROUGH_STORE:
        search_through_store(settings, monkeypatch)
    Everybody.world = world = World()
    Everybody.applications = found_applications(world)
    Everybody.assistant, Everybody.programs = Assistant().client_id, {}
    profile = hypothesis_settings(
        max_examples=OPERATIONS // _ASKED + 1,
        stateful_step_count=_STEPS,
        phases=[Phase.generate],  # a world cannot be shrunk: the message names what was asked and what it showed
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Everybody, settings=profile)
    assert world.operations >= OPERATIONS
    assert world.words_read > OPERATIONS // 4  # people did read what is theirs
    _require_alert(world)
    if THROUGH_STORE:
        require_points_of_entries_alone()


def _require_alert(world: World) -> None:
    """The watch is not blind: a word of somebody else's in an answer raises."""
    reader, writer = world.people[:2]
    word = world.needles.mint(writer.id, "said")
    with pytest.raises(AssertionError, match=word):
        world.looked_through(reader, HttpResponse(f"I follow {word}."), "page")
