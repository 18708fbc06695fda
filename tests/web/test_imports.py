"""The page on which chats are brought in from other assistants."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.models import ChatImport, MemoryItem, Session
from tests.memory.importing.archives import archive_of
from tests.memory.importing.exports import MEM0
from tests.memory.importing.test_bringing_chats_in import CHAT
from tests.support.cast import allow, allow_nothing, make_person
from tests.support.talk import permit_of
from tests.web.support import signed_in

PAGE = "/settings/import/"
FILE = json.dumps([CHAT]).encode()


def hand_in(browser: Client, content: bytes = FILE, program: str = "") -> str:
    file = SimpleUploadedFile("conversations.json", content)
    return browser.post(PAGE, {"file": file, "program": program}, follow=True).content.decode()


def the_import(user: User) -> ChatImport:
    with acting_as(user.pk):
        return ChatImport.objects.get()


def test_a_file_is_handed_in_followed_and_undone(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    assert "Bring them in" in browser.get(PAGE).content.decode()
    assert "Waiting for its turn" in hand_in(browser)
    drain()
    assert "1 chat read. 2 messages added." in browser.get(PAGE).content.decode()
    undo = reverse("web:import_undo", args=[the_import(alice).pk])
    assert "2 messages" in browser.get(undo).content.decode()
    assert "Undone: everything it brought is forgotten." in browser.post(undo, follow=True).content.decode()
    drain()
    with acting_as(alice.pk):
        assert not Session.objects.exists()


def test_memories_of_another_program_are_brought_in_and_undone(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    assert "Waiting for its turn" in hand_in(browser, json.dumps(MEM0).encode(), "mem0")
    drain()
    page = browser.get(PAGE).content.decode()
    assert "mem0 ·" in page
    assert "2 entries added." in page
    assert "Moved in from mem0" in browser.get("/memories/").content.decode()
    with acting_as(alice.pk):
        memory = MemoryItem.objects.first()
    assert memory is not None
    its_page = browser.get(reverse("web:memory", args=[memory.pk])).content.decode()
    assert its_page.count("Moved in from mem0") == 1
    assert "Through which program" not in its_page
    undo = reverse("web:import_undo", args=[the_import(alice).pk])
    assert "2 entries" in browser.get(undo).content.decode()
    assert "Undone: everything it brought is forgotten." in browser.post(undo, follow=True).content.decode()


def test_an_archive_shows_its_consents_as_history_alone(alice: User, bob: User, tmp_path: Path) -> None:
    allow(alice)
    allow_nothing(bob)
    archive = archive_of(alice, tmp_path)
    browser = signed_in(bob)
    assert browser.post(PAGE, {"file": SimpleUploadedFile("a.zip", archive.read_bytes())}).status_code == 403
    allow(bob, ConsentScope.MEMORY_LEARNING)
    hand_in(browser, archive.read_bytes(), "finclaw")
    drain()
    page = browser.get(PAGE).content.decode()
    assert "Consents recorded in the archive" in page
    assert "learning from conversation" in page
    assert permit_of(bob).scopes == {ConsentScope.MEMORY_LEARNING}


def test_a_program_that_is_not_in_the_list_is_refused(alice: User) -> None:
    allow(alice)
    assert "Choose a program of the list." in hand_in(signed_in(alice), program="clippy")


def test_a_broken_file_says_where(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    hand_in(browser, b"[\n{]")
    drain()
    assert "Line 2, character 2" in browser.get(PAGE).content.decode()


def test_the_reason_is_said_in_the_language_of_the_page(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    hand_in(browser, b"[\n}")
    drain()
    assert the_import(alice).reason_details == {"reason": "invalid_json", "line": 2, "position": 1}
    chinese = browser.get(PAGE, headers={"Accept-Language": "zh-CN"}).content.decode()
    assert "第 2 行第 1 个字符：这不是有效的 JSON。" in chinese


def test_the_reason_of_an_earlier_version_stays_readable(alice: User) -> None:
    allow(alice)
    reason = "Line 3, entry 1: its text is missing."
    with acting_as(alice.pk):
        ChatImport.objects.create(user=alice, state="refused", origin="web", size=1, reason=reason)
    assert reason in signed_in(alice).get(PAGE).content.decode()


@pytest.mark.parametrize(
    "details",
    [
        {"reason": "too_purple"},
        {"reason": "too_purple", "line": 3, "entry": 1},
        {"reason": "no_text", "paragraph": 3},
        {"reason": ["no_text"]},
        {"line": 3, "entry": 1},
    ],
)
def test_the_reason_of_another_release_stays_readable(alice: User, details: dict[str, Any]) -> None:
    allow(alice)
    reason = "Paragraph 3: its colour is wrong."
    with acting_as(alice.pk):
        ChatImport.objects.create(
            user=alice, state="refused", origin="web", size=1, reason=reason, reason_details=details
        )
    answer = signed_in(alice).get(PAGE)
    assert answer.status_code == 200
    assert reason in answer.content.decode()


@pytest.mark.parametrize("form", [{}, {"file": ""}])
def test_without_a_file_one_is_asked_for(alice: User, form: dict[str, str]) -> None:
    allow(alice)
    answer = signed_in(alice).post(PAGE, form)
    assert answer.status_code == 400
    assert "Choose a file first." in answer.content.decode()


def test_a_second_file_waits_for_the_first(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    hand_in(browser)
    assert "An import is under way" in hand_in(browser)


def test_without_leave_to_learn_the_page_asks_for_it(alice: User) -> None:
    allow_nothing(alice)
    browser = signed_in(alice)
    page = browser.get(PAGE).content.decode()
    assert "I need your permission" in page
    assert 'type="file"' not in page
    assert browser.post(PAGE, {"file": SimpleUploadedFile("c.json", FILE)}).status_code == 403


def test_a_form_without_its_token_is_refused(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = browser.cookies
    assert strict.post(PAGE, {"file": SimpleUploadedFile("c.json", FILE)}).status_code == 403
    with acting_as(alice.pk):
        assert not ChatImport.objects.exists()


def test_who_is_not_signed_in_hands_nothing_in() -> None:
    assert "/sign-in/" in Client().post(PAGE, {}, follow=False).get("Location", "")


def test_nobody_undoes_anothers(alice: User) -> None:
    allow(alice)
    hand_in(signed_in(alice))
    drain()
    charlie = make_person("charlie2")
    allow(charlie)
    browser, undo = signed_in(charlie), reverse("web:import_undo", args=[the_import(alice).pk])
    assert (browser.get(undo).status_code, browser.post(undo).status_code) == (404, 404)
    assert the_import(alice).state == "done"
