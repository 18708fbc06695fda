"""Portraits: read with where each line came from, put right, taken back to what stood there, forgotten."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.urls import reverse

from consent.models import ErasureScope
from foundation.accounts.groups import remove_member
from foundation.accounts.models import ChatGroup, User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.historian.services import end
from memory.portraits.services import edit, own_row_id, portrait_of
from memory.portraits.types import EntityType
from memory.types import EndInput
from tests.memory.portraits.support import erase, tell
from tests.support.cast import allow, group_with
from tests.support.talk import memories, open_session, permit_of, say
from tests.web.support import chat_of, signed_in
from tests.web.support import event_of as an_event_of

TEA, COFFEE = "- Alice likes tea", "- Alice 喜欢咖啡 <b>very</b> much"


def wrote(user: User, body: str, entity_type: EntityType = "user", entity_id: UUID | None = None) -> None:
    """A portrait in this person's own words."""
    with acting_as(user.pk):
        edit(permit_of(user), entity_type, entity_id or user.pk, body)


def body_of(user: User, entity_type: EntityType = "user", entity_id: UUID | None = None) -> str:
    with acting_as(user.pk):
        view = portrait_of(permit_of(user), entity_type, entity_id or user.pk)
    return view.own.body if view and view.own else ""


def row_of(user: User, entity_type: EntityType = "user", entity_id: UUID | None = None) -> UUID:
    with acting_as(user.pk):
        return own_row_id(permit_of(user), entity_type, entity_id or user.pk)


def lines_of(page: Any) -> list[dict[str, Any]]:
    """The lines that a portrait's page shows."""
    return [line for part in page.context["parts"] for section in part["sections"] for line in section["lines"]]


def address_of(user: User) -> str:
    return reverse("web:portrait", args=["user", user.pk])


def group_address(group: ChatGroup) -> str:
    return reverse("web:portrait", args=["group", group.pk])


def test_an_outsider_finds_no_portrait(alice: User, bob: User, charlie: User) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    group = group_with(alice, [bob])
    wrote(alice, TEA)
    wrote(alice, "- the desk meets on Mondays", "group", group.pk)
    for address in (address_of(alice), group_address(group)):
        browser = signed_in(charlie)
        assert browser.get(address).status_code == 404
        assert browser.post(address, {"body": "- nothing"}).status_code == 404
        assert browser.post(address, {"body": "x" * 900_000}).status_code == 404
        assert browser.post(address + "back/", {"revision": 1}).status_code == 404
    forget = reverse("web:forget_portrait", args=[row_of(alice)])
    for person in (bob, charlie):
        assert signed_in(person).get(forget).status_code == 404
        assert signed_in(person).post(forget).status_code == 404
    assert signed_in(bob).get(address_of(alice)).status_code == 404
    assert "tea" in body_of(alice)


@pytest.mark.parametrize("named", ["nonsense", "session", "USER"])
def test_there_are_portraits_of_people_and_groups_alone(alice: User, named: str) -> None:
    allow(alice)
    assert signed_in(alice).get(f"/portraits/{named}/{alice.pk}/").status_code == 404
    assert signed_in(alice).get(f"/portraits/group/{uuid4()}/").status_code == 404


def test_without_consent_there_is_none(alice: User) -> None:
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    browser = signed_in(alice)
    assert "Remembering is off" in browser.get(reverse("web:portraits")).content.decode()
    assert browser.get(address_of(alice)).status_code == 404
    assert browser.post(address_of(alice), {"body": TEA}).status_code == 404


@pytest.mark.parametrize("revision", ["", "x", "0", "-1", "999", "9" * 40, "\x00"])
def test_only_a_version_that_is_kept_can_be_gone_back_to(alice: User, revision: str) -> None:
    allow(alice)
    wrote(alice, TEA)
    wrote(alice, COFFEE)
    browser = signed_in(alice)
    assert browser.post(address_of(alice) + "back/", {"revision": revision}).status_code == 404
    assert browser.get(address_of(alice) + "back/").status_code == 405
    assert "咖啡" in body_of(alice)


@pytest.mark.parametrize("body", ["字" * 20_000, "a\x00b"])
def test_words_that_cannot_be_are_given_back_and_change_nothing(alice: User, body: str) -> None:
    allow(alice)
    wrote(alice, TEA)
    assert len(body) > settings.PROFILE_MAX_CHARS or "\x00" in body
    answer = signed_in(alice).post(address_of(alice), {"body": body})
    assert answer.status_code == 400
    assert answer.context["form"].errors["body"]
    assert "tea" in body_of(alice)


def test_what_is_written_stands_rendered_and_escaped(alice: User) -> None:
    allow(alice)
    page = signed_in(alice).post(address_of(alice), {"body": COFFEE}, follow=True)
    text = page.content.decode()
    assert "Alice 喜欢咖啡 &lt;b&gt;very&lt;/b&gt; much" in text
    assert "<b>very</b>" not in text
    [line] = lines_of(page)
    assert (line["by_hand"], line["sources"]) == (True, [])
    assert "Written by hand." in text


def test_a_change_can_be_undone_and_the_undoing_too(alice: User) -> None:
    allow(alice)
    wrote(alice, TEA)
    browser = signed_in(alice)
    page = browser.post(address_of(alice), {"body": COFFEE}, follow=True)
    back = address_of(alice) + "back/"
    for word in ("tea", "咖啡", "tea"):
        assert word not in body_of(alice)
        page = browser.post(back, {"revision": page.context["undo"]["revision"]}, follow=True)
        assert word in body_of(alice)
    assert page.context["versions"][0]["how"] == "You went back to an earlier version"


def test_a_version_shows_what_going_back_would_change(alice: User) -> None:
    allow(alice)
    wrote(alice, TEA)
    wrote(alice, "- Alice likes coffee")
    (version,) = signed_in(alice).get(address_of(alice)).context["versions"]
    changed = [(line["kind"], line["text"]) for line in version["difference"] if line["kind"] != "same"]
    assert changed == [("gone", "Alice likes coffee"), ("back", "Alice likes tea")]


def test_five_earlier_versions_are_listed_at_most(alice: User) -> None:
    allow(alice)
    for number in range(settings.PROFILE_REVISIONS_KEPT + 3):
        wrote(alice, f"- Alice read {number} books")
    versions = signed_in(alice).get(address_of(alice)).context["versions"]
    assert len(versions) == settings.PROFILE_REVISIONS_KEPT == 5


def test_a_groups_portrait_is_its_members_and_each_puts_their_own_part_right(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    wrote(alice, "- Alice keeps the minutes", "group", group.pk)
    wrote(bob, "- Bob 负责数据", "group", group.pk)
    page = signed_in(bob).get(group_address(group))
    assert [part["who"] for part in page.context["parts"]] == ["you", "Alice"]
    assert "Alice keeps the minutes" not in page.context["form"]["body"].value()
    signed_in(bob).post(group_address(group), {"body": "- Bob reads the news"})
    assert "minutes" in body_of(alice, "group", group.pk)
    assert "数据" not in body_of(bob, "group", group.pk)


def listed(browser: Client, query: str = "") -> list[str]:
    return [portrait["name"] for portrait in browser.get(reverse("web:portraits") + query).context["portraits"]]


def test_the_list_holds_ones_own_and_those_of_ones_groups_and_is_searched(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    assert "No portrait yet" in signed_in(alice).get(reverse("web:portraits")).content.decode()
    wrote(alice, TEA)
    wrote(bob, "- Bob 负责数据", "group", group.pk)
    browser = signed_in(alice)
    assert listed(browser) == ["You", "Research desk"]
    assert listed(browser, "?q=tea")[0] == "You"
    assert listed(browser, "?q=数据")[0] == "Research desk"
    assert listed(signed_in(bob)) == ["Research desk"]


def test_an_empty_portrait_is_written_by_its_person(alice: User) -> None:
    allow(alice)
    an_event_of(alice, chat_of(alice), "r:1", "2 March 2026: Alice bought a bicycle.")
    page = signed_in(alice).get(address_of(alice))
    assert page.context["parts"] == []
    assert page.context["own_id"] is None
    assert "Write it yourself" in page.content.decode()


def test_a_portrait_is_forgotten_with_all_its_versions_and_proven(alice: User) -> None:
    allow(alice)
    wrote(alice, TEA)
    wrote(alice, COFFEE)
    browser = signed_in(alice)
    forget = reverse("web:forget_portrait", args=[row_of(alice)])
    page = browser.get(forget)
    assert page.context["question"].goes == ["Its words, in 2 versions"]
    assert "<b>very</b>" not in page.content.decode()
    receipt = browser.post(forget)["Location"]
    assert browser.get(address_of(alice)).context["parts"] == []
    assert browser.get(forget).status_code == 404
    drain()
    erasure = browser.get(receipt).context["erasure"]
    assert (erasure["state"], erasure["what"]) == ("completed", "One portrait")


def test_what_was_told_of_a_group_since_left_is_listed_to_be_forgotten(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    wrote(bob, "- Bob 负责数据", "group", group.pk)
    remove_member(bob, group.pk, bob.pk)
    browser = signed_in(bob)
    assert browser.get(group_address(group)).status_code == 404
    page = browser.get(reverse("web:portraits"))
    assert page.context["portraits"] == []
    (left,) = page.context["left_behind"]
    assert left["name"] == "Research desk"
    assert browser.post(reverse("web:forget_portrait", args=[left["id"]])).status_code == 302
    assert browser.get(reverse("web:portraits")).context["left_behind"] == []


def test_a_line_leads_to_its_event_and_the_event_to_its_line(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        end(permit_of(alice), alice, session, EndInput(request_id="r", action_summary="", new_info="Alice likes tea."))
    drain()
    browser = signed_in(alice)
    [line] = lines_of(browser.get(address_of(alice)))
    [source] = line["sources"]
    page = browser.get(source["address"])
    shown = [(one["text"], one["address"]) for one in page.context["portrait_lines"]]
    assert shown == [("Alice likes tea.", address_of(alice))]


@pytest.mark.parametrize(
    ("told", "heading"), [("I live in Leeds.", "Person and daily life"), ("我住在上海。", "个人与日常")]
)
def test_a_line_stands_under_its_heading_with_its_memory_the_chat_it_was_said_in_and_how_to_forget_it(
    alice: User, told: str, heading: str
) -> None:
    allow(alice)
    session = open_session(alice, title="Monday")
    with override_settings(PORTRAIT_REMAKE_SECONDS=0.0):
        say(alice, session, told)
    [item] = memories(alice)
    page = signed_in(alice).get(address_of(alice))
    [section] = page.context["parts"][0]["sections"]
    assert section["heading"] == heading
    [source] = section["lines"][0]["sources"]
    text = page.content.decode()
    for address in (
        reverse("web:memory", args=[item.pk]),
        reverse("web:forget_memory", args=[item.pk]),
        reverse("web:chat_session", args=[session.pk]),
    ):
        assert f'href="{address}' in text
    assert (source["session_title"], source["provenance"]) == ("Monday", item.provenance)


def test_nobody_sees_where_anothers_line_came_from(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    with override_settings(PORTRAIT_REMAKE_SECONDS=0.0):
        say(alice, open_session(alice, group_id=group.pk), "I live in Leeds.")
    [item] = memories(alice)
    text = signed_in(bob).get(group_address(group)).content.decode()
    assert "Alice: Lives in Leeds" in text
    assert str(item.pk) not in text


def test_a_version_that_an_erasure_emptied_is_not_offered_again(alice: User) -> None:
    allow(alice)
    talk = open_session(alice)
    first = tell(alice, talk, "I like tea.")
    tell(alice, talk, "我住在里斯本。")
    wrote(alice, "- 我住在里斯本\n- I swim")
    erase(alice, ErasureScope.EVENT, first)
    versions = signed_in(alice).get(address_of(alice)).context["versions"]
    assert [version["revision"] for version in versions] == [2]


def test_an_emptied_portrait_is_not_counted_among_what_is_kept(alice: User) -> None:
    allow(alice)
    wrote(alice, TEA)
    assert "1 portrait" in kept_of(alice)
    wrote(alice, "")
    assert "portrait" not in kept_of(alice)


def kept_of(user: User) -> str:
    return str(signed_in(user).get(reverse("web:privacy")).context["kept"][ConsentScope.MEMORY_LEARNING.value])


def test_under_an_answer_a_portrait_is_its_first_lines_and_leads_to_its_page(alice: User) -> None:
    allow(alice)
    wrote(alice, f"{TEA}\n{COFFEE}\n- Alice lives in Rome\n- Alice follows BTC")
    session = chat_of(alice)
    browser = signed_in(alice)
    browser.post(reverse("web:chat_send", args=[session.pk]), {"content": "What do I like?"})
    page = browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()
    assert "# User portrait" not in page
    assert "<li>Alice likes tea</li>" in page
    assert "<li>Alice 喜欢咖啡 &lt;b&gt;very&lt;/b&gt; much</li>" in page
    assert f'href="{address_of(alice)}"' in page
    assert page.count("Alice follows BTC") == 0
