"""A session's row tells whose it is, from signing in until it is over."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import SESSION_KEY
from django.test import Client
from django.utils import timezone

from foundation.accounts.browser_sessions import SessionStore, delete_expired_sessions
from foundation.accounts.models import BrowserSession, User
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE


def _signed_in(*people: User) -> Client:
    browser = Client()
    for person in people:
        browser.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return browser


def _kept(user: User | None = None, *, ends_in: timedelta = timedelta(days=1)) -> SessionStore:
    session = SessionStore()
    session["language"] = "zh"
    if user is not None:
        session[SESSION_KEY] = str(user.pk)
    session.create()
    BrowserSession.objects.filter(pk=session.session_key).update(expire_date=timezone.now() + ends_in)
    return session


@pytest.mark.django_db
def test_before_anybody_signs_in_it_is_nobodys() -> None:
    assert BrowserSession.objects.get(pk=_kept().session_key).user_id is None


def test_signing_in_makes_it_the_persons_and_signing_out_ends_it(alice: User) -> None:
    browser = _signed_in(alice)
    row = BrowserSession.objects.get()
    assert (row.user, row.get_decoded()[SESSION_KEY]) == (alice, str(alice.pk))
    browser.logout()
    assert not BrowserSession.objects.exists()


def test_another_person_in_the_same_browser_takes_nothing_over(alice: User, bob: User) -> None:
    _signed_in(alice, bob)
    assert BrowserSession.objects.get().user == bob


def test_deleting_the_person_deletes_their_sessions(alice: User, bob: User) -> None:
    _signed_in(alice)
    _signed_in(bob)
    with in_role(ERASER_ROLE):
        alice.delete()
    assert [row.user for row in BrowserSession.objects.all()] == [bob]


def test_the_sweep_takes_what_has_expired_and_leaves_the_rest(alice: User) -> None:
    for owner in (alice, None):
        _kept(owner, ends_in=-timedelta(seconds=1))
    live = {_kept(owner).session_key for owner in (alice, None)}
    delete_expired_sessions()
    assert set(BrowserSession.objects.values_list("pk", flat=True)) == live


def test_no_name_of_a_row_holds_its_key(alice: User) -> None:
    _signed_in(alice)
    row = BrowserSession.objects.get()
    assert row.session_key not in f"{row} {row!r}"
