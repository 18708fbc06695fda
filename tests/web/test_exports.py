"""A copy of everything about oneself, from the question to the file."""

from __future__ import annotations

import zipfile
from datetime import timedelta
from io import BytesIO

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from consent.export.building import fail
from consent.export.services import exports_of
from consent.models import DataExport
from foundation.accounts.models import User
from foundation.database.acting import acting_as
from foundation.outbox.tasks import drain
from tests.support.cast import allow
from tests.web.support import signed_in

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


def test_a_failed_one_says_so_and_another_may_be_asked_for(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    browser.post(ADDRESS)
    fail(alice.pk, latest(alice).pk, "OSError")
    page = browser.get(ADDRESS).content.decode()
    assert "It could not be made." in page
    assert "OSError" not in page
    browser.post(ADDRESS)
    assert shown(browser) == ["pending", "failed"]
