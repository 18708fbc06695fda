"""Twenty people in five groups, who ask the real application, and whose every answer is looked through."""

from __future__ import annotations

import io
import re
import zipfile
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from django.core.cache import cache
from django.test import Client
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from tests.isolation.needles import Needle, Needles
from tests.support.api import signed_in as program_of
from tests.support.cast import allow
from tests.web.support import signed_in as browser_of

PEOPLE, GROUPS = 20, 5
QUESTIONS = ("What do I prefer?", "answers analysis", "我喜欢什么", "What do I follow?", "read about")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_numbers = count()


@dataclass
class Person:
    """Somebody with a program and a browser of their own."""

    user: User
    program: APIClient
    browser: Client
    sessions: list[str] = field(default_factory=list)
    archives: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        return str(self.user.pk)


@dataclass
class Group:
    """Who is in it now."""

    id: str
    members: set[str]
    ever: set[str] = field(default_factory=set)
    sessions: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Piece:
    """Something of somebody's research; ``kind`` as references name it."""

    kind: str
    id: str
    owner: str


class World:
    """The people, their groups and research, the ids that answers have named, and the rule that every answer must keep.

    ``grown_from`` names, for each thread, itself and the tasks that go with it.
    """

    def __init__(self) -> None:
        self.needles = Needles()
        self.ids: deque[str] = deque(maxlen=4_000)
        self.operations = 0
        self.words_read = 0
        self.groups: list[Group] = []
        self.pieces: list[Piece] = []
        self.grown_from: dict[str, set[str]] = {}
        self.people = [self._newcomer(is_staff=number == 0) for number in range(PEOPLE)]
        for first in range(GROUPS):
            self._found(*self.people[first::GROUPS])

    # --- asking --------------------------------------------------------------------------------------
    def call(self, person: Person, method: str, path: str, body: Any = None) -> Any:
        """Ask the API as this person; the answer was looked through."""
        answer = getattr(person.program, method)(f"/api/{path}", body, format="json")
        return self.looked_through(person, answer, f"{method} /api/{path}", is_archive="download" in path)

    def open(self, person: Person, path: str, form: dict[str, str] | None = None) -> Any:
        """Open a page as this person, or send a form to it; the answer was looked through."""
        browser = person.browser
        answer = browser.get(path, follow=True) if form is None else browser.post(path, form, follow=True)
        return self.looked_through(person, answer, f"page {path}")

    def open_as_operator(self, path: str) -> None:
        """A page of the admin: operators may read, though nothing that is to be forgotten."""
        answer = self.people[0].browser.get(path, follow=True)
        text = answer.content.decode()
        shown = [needle.word for needle in self.needles.found_in(text) if needle.gone]
        assert answer.status_code == 200, f"{path}: {answer.status_code}"
        assert not shown, f"{path} still shows {shown}"

    def work(self) -> None:
        """The worker does whatever waits."""
        drain()

    # --- what is known -------------------------------------------------------------------------------
    def groups_of(self, person: Person) -> list[Group]:
        return [group for group in self.groups if person.id in group.members]

    def reachable(self, person: Person) -> list[tuple[str, str]]:
        """The conversations the person may speak in, each with its group's id or nothing."""
        own = [(session, "") for session in person.sessions]
        return own + [(session, group.id) for group in self.groups_of(person) for session in group.sessions]

    def leave_for_good(self, person: Person) -> None:
        """The account is gone: nobody reads anything of theirs any more, and a newcomer takes the seat."""
        self.needles.forget(self.needles.of(person.id))
        for group in self.groups:
            group.members.discard(person.id)
        self.people[self.people.index(person)] = self._newcomer(is_staff=person.user.is_staff)

    # --- making it -----------------------------------------------------------------------------------
    def _newcomer(self, *, is_staff: bool = False) -> Person:
        user = User.objects.create_user(f"person-{next(_numbers)}")  # without a password, whose hash would take long
        if is_staff:
            User.objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
            user.refresh_from_db()
        allow(user)
        person = Person(user, program_of(user), browser_of(user))
        told = f"I prefer answers about {self.needles.mint(person.id, 'said')}."
        self.call(person, "post", "memories", {"text": told, "infer": False})
        return person

    def _found(self, first: Person, *others: Person) -> None:
        """Every group begins with four people and something said to all of them."""
        made = self.call(first, "post", "groups", {"name": "Desk"}).json()
        group = Group(made["group_id"], {first.id}, {first.id})
        for person in others:
            asked = self.call(first, "post", f"groups/{group.id}/members", {"username": person.user.username}).json()
            self.call(person, "post", f"invitations/{asked['invitation_id']}/accept")
            group.members.add(person.id)
        group.ever |= group.members
        session = self.call(first, "post", "sessions", {"group_id": group.id}).json()["session_id"]
        self.groups.append(group)
        told = f"I follow {self.needles.mint(first.id, 'said', group=group.id, session=session)}."
        self.call(first, "post", f"sessions/{session}/messages", {"content": told})
        group.sessions.append(session)

    # --- the rule ------------------------------------------------------------------------------------
    def looked_through(self, person: Person, answer: Any, asked: str, *, is_archive: bool = False) -> Any:
        """The answer, once it showed the person no word that is not theirs to read. Raises ``AssertionError``."""
        self.operations += 1
        if not self.operations % 200:
            cache.clear()  # nobody is to be slowed down for asking much
        text = _text_of(answer)
        assert answer.status_code < 500, f"{asked}: {answer.status_code}"
        found = self.needles.found_in(text)
        shown = [needle for needle in found if not self._may_read(person, needle, is_archive)]
        assert not shown, f"{asked}, asked by {person.id}, shows {[(one, _around(one, text)) for one in shown]}"
        self.words_read += len(found)
        self.ids.extend(set(_UUID.findall(text)).difference(self.ids) if len(text) < 100_000 else ())
        return answer

    def _may_read(self, person: Person, needle: Needle, is_archive: bool) -> bool:
        if needle.gone or not needle.group:
            return not needle.gone and needle.owner == person.id
        group = next(group for group in self.groups if group.id == needle.group)
        # Who left keeps the answers they were given, which may quote what others had said by then.
        readers = group.ever if is_archive else group.members
        return needle.owner == person.id or person.id in readers


def one_of(things: Any, number: int) -> Any:
    """Some one of these, None where there is none."""
    return things[number % len(things)] if things else None


def _text_of(answer: Any) -> str:
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if answer.headers.get("Content-Type") == "application/zip":
        archive = zipfile.ZipFile(io.BytesIO(body))
        body = b"\n".join(name.encode() + b"\n" + archive.read(name) for name in archive.namelist())
    return body.decode(errors="replace") + _addresses(answer)


def _around(needle: Needle, text: str) -> str:
    """What stands before and after it: where to look for the leak."""
    at = text.lower().index(needle.word)
    return text[max(0, at - 400) : at + 200]


def _addresses(answer: Any) -> str:
    """Where a page sends its reader is part of the answer."""
    followed: Sequence[tuple[str, int]] = getattr(answer, "redirect_chain", ())
    return " ".join(address for address, _ in followed)
