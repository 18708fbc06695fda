"""A copy of everything about oneself, from the question to the file."""

from __future__ import annotations

import zipfile
from datetime import timedelta
from io import BytesIO

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from consent.export.archive_job import fail_export
from consent.export.services import exports_of
from consent.models import DataExport
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from tests.support.cast import allow
from tests.web.support import memory_of, signed_in

ADDRESS = reverse("web:exports")


def shown(browser: Client) -> list[str]:
    """The states of the list, the newest first."""
    return [export["state"] for export in browser.get(ADDRESS).context["exports"]]


def latest(user: User) -> DataExport:
    with acting_as(user.pk):
        return exports_of(user)[0]


def changed(export: DataExport, **fields: object) -> None:
    with acting_as(export.user_id):
        DataExport.objects.filter(pk=export.pk).update(**fields)


def test_an_outsider_sees_no_export_of_alice(alice: User, charlie: User) -> None:
    allow(alice)
    allow(charlie)
    signed_in(alice).post(ADDRESS)
    assert shown(signed_in(charlie)) == []


def test_who_asked_for_none_is_told_what_will_be_here(alice: User) -> None:
    allow(alice)
    assert "No copy yet" in signed_in(alice).get(ADDRESS).content.decode()


def test_asking_twice_is_one_export_and_the_page_looks_again_by_itself(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    browser.post(ADDRESS)
    assert browser.post(ADDRESS)["Location"] == ADDRESS
    page = browser.get(ADDRESS)
    assert shown(browser) == ["pending"]
    assert 'hx-trigger="every' in page.content.decode()
    assert "Collect my data" not in page.content.decode()


def test_a_building_one_says_how_far_it_is(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    browser.post(ADDRESS)
    changed(latest(alice), state="building", progress=40)
    assert "Collecting: 40 per cent" in browser.get(ADDRESS).content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_finished_one_is_downloaded_and_holds_the_archive(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    browser.post(ADDRESS)
    drain()
    (export,) = browser.get(ADDRESS).context["exports"]
    assert export["state"] == "ready"
    body = browser.get(export["download_url"]).getvalue()
    assert zipfile.ZipFile(BytesIO(body)).testzip() is None
    assert len(body) == export["size"]


@pytest.mark.django_db(transaction=True)
def test_a_link_that_is_over_is_shown_as_expired_before_anybody_swept(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    browser.post(ADDRESS)
    drain()
    changed(latest(alice), expires_at=timezone.now() - timedelta(seconds=1))
    (export,) = browser.get(ADDRESS).context["exports"]
    assert (export["state"], export["download_url"]) == ("expired", "")


@pytest.mark.django_db(transaction=True)
def test_one_that_an_erasure_took_says_why_it_is_gone(alice: User) -> None:
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    browser = signed_in(alice)
    browser.post(ADDRESS)
    drain()
    forgetting = reverse("web:forget_memory", args=[item.pk])
    assert any("Your copy of your data made on" in line for line in browser.get(forgetting).context["question"].goes)
    browser.post(forgetting)
    for _before_and_after_the_work in range(2):
        page = browser.get(ADDRESS)
        (export,) = page.context["exports"]
        assert (export["state"], export["download_url"]) == ("expired", "")
        assert "Gone, because you asked me to forget something it held." in page.content.decode()
        drain()
    assert latest(alice).state == DataExport.State.EXPIRED


@pytest.mark.django_db(transaction=True)
def test_one_whose_link_was_over_before_an_erasure_is_only_expired(alice: User) -> None:
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    browser = signed_in(alice)
    browser.post(ADDRESS)
    drain()
    changed(latest(alice), expires_at=timezone.now())
    forgetting = reverse("web:forget_memory", args=[item.pk])
    assert browser.get(forgetting).context["question"].goes == ["1 memory"]
    browser.post(forgetting)
    drain()
    assert "Its link is over" in browser.get(ADDRESS).content.decode()


@pytest.mark.django_db(transaction=True)
def test_one_that_newer_ones_pushed_out_was_not_taken_by_an_erasure(alice: User, settings: Settings) -> None:
    settings.EXPORT_KEEP = 1
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    browser = signed_in(alice)
    for _time in range(2):
        browser.post(ADDRESS)
        drain()
    browser.post(reverse("web:forget_memory", args=[item.pk]))
    drain()
    assert [export["is_removed"] for export in browser.get(ADDRESS).context["exports"]] == [True, False]


def test_a_failed_one_says_so_and_another_may_be_asked_for(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    browser.post(ADDRESS)
    fail_export(alice.pk, latest(alice).pk, "OSError")
    page = browser.get(ADDRESS).content.decode()
    assert "It could not be made." in page
    assert "OSError" not in page
    browser.post(ADDRESS)
    assert shown(browser) == ["pending", "failed"]
