"""Receipts of what was forgotten: whose they are, what they show, and a proof that is checked without us."""

from __future__ import annotations

from datetime import time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from consent.erasure.services import escalate_erasure, link_secret, record_failure, start_erasure
from consent.models import ErasureScope, Sources, Tombstone
from finclaw.erasure import forget
from finclaw.web import dates
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from tests.support.api import MISSING
from tests.support.cast import allow
from tests.web.support import memory_of, signed_in


@pytest.fixture
def tombstone(alice: User) -> Tombstone:
    """Alice asked for a memory to be forgotten; nothing was done yet."""
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    with acting_as(alice.pk):
        return forget(alice, ErasureScope.ITEM, str(item.pk), Sources.REDACT, source="web")


def address(tombstone: Tombstone, name: str = "erasure") -> str:
    return reverse(f"web:{name}", args=[tombstone.pk])


def public(tombstone: Tombstone, name: str = "certificate", secret: str = "") -> str:
    return f"{address(tombstone, name)}?secret={secret or link_secret(tombstone.pk)}"


def labels(page: object, mark: str) -> list[str]:
    """The stations of the way that carry a mark."""
    return [str(step["label"]) for step in page.context["erasure"]["steps"] if step[mark]]  # type: ignore[attr-defined]


def test_an_outsider_finds_no_receipt_of_alice(tombstone: Tombstone, charlie: User) -> None:
    allow(charlie)
    outsider = signed_in(charlie)
    assert outsider.get(address(tombstone)).status_code == 404
    assert outsider.get(address(tombstone, "erasure_proof")).status_code == 404
    assert outsider.get(reverse("web:erasures")).context["erasures"] == []


@pytest.mark.parametrize("secret", ["", "x", "\x00", "f" * 64, "x" * 5_000])
@pytest.mark.parametrize("name", ["certificate", "certificate_proof"])
def test_a_wrong_secret_opens_nothing(tombstone: Tombstone, client: Client, name: str, secret: str) -> None:
    assert client.get(address(tombstone, name), {"secret": secret}).status_code == 404


def test_a_secret_opens_its_own_receipt_alone(tombstone: Tombstone, client: Client) -> None:
    wrong = reverse("web:certificate", args=[MISSING])
    assert client.get(f"{wrong}?secret={link_secret(tombstone.pk)}").status_code == 404
    assert client.get(public(tombstone)).status_code == 200


def test_a_receipt_is_read_not_written(tombstone: Tombstone, alice: User) -> None:
    browser = signed_in(alice)
    for name in ("erasure", "erasure_proof", "certificate", "certificate_proof"):
        assert browser.post(public(tombstone, name)).status_code == 405


def test_the_way_is_shown_as_far_as_it_was_walked(tombstone: Tombstone, alice: User) -> None:
    browser = signed_in(alice)
    page = browser.get(address(tombstone))
    assert labels(page, "is_done") == ["You asked for it", "Confirmed to be yours", "Invisible, and used no more"]
    assert labels(page, "is_now") == ["Waiting for its turn"]
    assert 'hx-trigger="every' in page.content.decode()
    start_erasure(tombstone.pk, alice.pk)
    assert labels(browser.get(address(tombstone)), "is_now") == ["Being forgotten"]


def test_a_finished_one_says_what_was_looked_through_and_asks_no_more(tombstone: Tombstone, alice: User) -> None:
    drain()
    page = signed_in(alice).get(address(tombstone))
    erasure = page.context["erasure"]
    assert len(labels(page, "is_done")) == 6
    assert (erasure["left"], erasure["is_running"]) == (0, False)
    assert "1 memory" in erasure["checked"]
    assert "Nothing was left." in page.content.decode()
    assert "hx-trigger" not in page.content.decode()


def test_every_place_looked_through_is_listed_in_plain_words(alice: User) -> None:
    allow(alice)
    with acting_as(alice.pk):
        tombstone = forget(alice, ErasureScope.ACCOUNT, "", Sources.REDACT, source="web")
    drain()
    page = Client().get(public(tombstone))
    checked = page.context["erasure"]["checked"]
    assert f"{len(checked)} places were looked through" in page.content.decode()
    assert "1 lock that kept new notes out" in checked
    assert not [line for line in checked if "historical" in line or "." in line]


def test_the_last_day_of_the_term_is_named_and_not_the_one_after(tombstone: Tombstone, alice: User) -> None:
    due = tombstone.due_at.astimezone(ZoneInfo(alice.time_zone))
    assert due.time() == time.min
    last = dates.day(due.date() - timedelta(days=1))
    assert f"by law by the end of {last}." in signed_in(alice).get(address(tombstone)).content.decode()


def test_a_failed_try_is_told_and_the_word_is_kept(tombstone: Tombstone, alice: User) -> None:
    start_erasure(tombstone.pk, alice.pk)
    record_failure(tombstone.pk, alice.pk, "OperationalError 57014", final=False)
    page = signed_in(alice).get(address(tombstone))
    assert page.context["erasure"]["failures"] == 1
    assert "A try did not work" in page.content.decode()
    assert "OperationalError" not in page.content.decode()
    start_erasure(tombstone.pk, alice.pk)
    assert labels(signed_in(alice).get(address(tombstone)), "is_now") == ["Being forgotten"]


def test_what_waits_for_an_operator_is_said_to(tombstone: Tombstone, alice: User) -> None:
    escalate_erasure(tombstone.pk, alice.pk, reason="sla_exceeded")
    page = signed_in(alice).get(address(tombstone))
    assert "It did not come through by itself" in page.content.decode()
    assert "hx-trigger" not in page.content.decode()
    assert labels(page, "is_now") == ["Being forgotten"]


def test_there_is_no_proof_before_it_is_complete(tombstone: Tombstone, alice: User, client: Client) -> None:
    assert signed_in(alice).get(address(tombstone, "erasure_proof")).status_code == 409
    assert client.get(public(tombstone, "certificate_proof")).status_code == 409
    assert signed_in(alice).get(address(tombstone)).context["download_url"] == ""


@pytest.mark.parametrize("name", ["erasure_proof", "certificate_proof"])
def test_the_downloaded_proof_passes_the_command_named_on_the_page(
    tombstone: Tombstone, alice: User, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drain()
    answer = signed_in(alice).get(public(tombstone, name))
    assert f"finclaw-erasure-{tombstone.pk}.json" in answer["Content-Disposition"]
    assert set(answer.json()) == {"certificate", "signature", "public_key_id"}
    file = tmp_path / "proof.json"
    file.write_bytes(answer.content)
    call_command("verify_certificate", str(file))
    assert "VALID" in capsys.readouterr().out


def test_the_link_to_keep_opens_the_same_receipt(tombstone: Tombstone, alice: User, client: Client) -> None:
    link = signed_in(alice).get(address(tombstone)).context["certificate_url"]
    assert client.get(link).context["certificate_url"] == link


def test_the_list_holds_every_wish_and_none_of_the_words(tombstone: Tombstone, alice: User) -> None:
    page = signed_in(alice).get(reverse("web:erasures"))
    assert [entry["what"] for entry in page.context["erasures"]] == ["One memory"]
    assert "BTC" not in page.content.decode()


def test_who_asked_for_nothing_is_told_what_could_be_forgotten(alice: User) -> None:
    allow(alice)
    assert "Nothing yet" in signed_in(alice).get(reverse("web:erasures")).content.decode()
