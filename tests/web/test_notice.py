"""Who decided before the notice existed, or before it read as now, is shown it on their next visit; nothing is lost."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from consent.services import grant_consent, permit_for
from foundation.accounts.models import User
from foundation.accounts.notices import NOTICE_VERSION
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from tests.web.support import signed_in

NOTICE, PRIVACY = reverse("web:notice"), reverse("web:privacy")
SHOWN = "nothing I say is investment advice"


@pytest.fixture
def former(alice: User) -> Client:
    """The browser of Alice, who decided when nobody was asked to acknowledge anything."""
    with acting_as(alice.pk):
        grant_consent(alice, {ConsentScope.MEMORY_LEARNING}, source="web")
    return signed_in(alice)


def _decision(user: User) -> tuple[int, frozenset[ConsentScope]]:
    with acting_as(user.pk):
        permit = permit_for(user)
        return permit.version, permit.scopes


def test_strangers_and_people_who_never_decided_have_their_own_pages(client: Client, bob: User) -> None:
    assert client.get(NOTICE)["Location"].startswith(reverse("web:sign_in"))
    assert signed_in(bob).get(NOTICE)["Location"] == reverse("web:onboarding")


def test_the_next_visit_shows_the_notice_and_leads_on_once_it_is_acknowledged(former: Client, alice: User) -> None:
    before, page = _decision(alice), reverse("web:memories") + "?q=BTC"

    shown = former.get(page, follow=True)
    assert shown.redirect_chain == [(f"{NOTICE}?{urlencode({'next': page}, safe='/')}", 302)]
    assert SHOWN in shown.content.decode()

    answer = former.post(NOTICE, {"version": shown.context["version"], "next": shown.context["next"]})
    assert answer["Location"] == page
    assert former.get(page).status_code == 200
    assert former.get(NOTICE)["Location"] == reverse("web:chat")
    assert _decision(alice) == before
    alice.refresh_from_db()
    assert alice.notice_version == NOTICE_VERSION
    assert alice.notice_acknowledged_at is not None


@pytest.mark.parametrize("version", ["", "0", str(NOTICE_VERSION + 1), "one"])
def test_a_notice_that_reads_otherwise_is_shown_anew(former: Client, alice: User, version: str) -> None:
    assert SHOWN in former.post(NOTICE, {"version": version}).content.decode()
    alice.refresh_from_db()
    assert alice.notice_version == 0


def test_it_leads_to_no_other_site(former: Client) -> None:
    answer = former.post(NOTICE, {"version": NOTICE_VERSION, "next": "https://example.org/"})
    assert answer["Location"] == reverse("web:chat")


@pytest.mark.parametrize("name", ["privacy", "privacy_withdraw", "exports", "erasures", "forget_account"])
def test_rights_do_not_wait_for_it(former: Client, name: str) -> None:
    assert former.get(reverse(f"web:{name}")).status_code == 200


def test_what_is_typed_is_not_lost_to_it(former: Client, alice: User) -> None:
    before = _decision(alice)
    former.post(reverse("web:privacy_scopes"), {"memory_learning_allowed": "on", "save_to_thread": "on"})
    assert _decision(alice) == (before[0] + 1, before[1] | {ConsentScope.SAVE_TO_THREAD})
