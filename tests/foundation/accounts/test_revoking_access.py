"""A changed or recovered password ends everything that was signed in before."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from foundation.accounts.exceptions import InvalidCredentials, TokenRevoked
from foundation.accounts.models import User
from foundation.accounts.services import (
    authenticate_token,
    change_password,
    issue_token,
    new_recovery_codes,
    recover_account,
    revoke_access,
)
from tests.support.cast import PASSWORD, allow
from tests.web.support import signed_in

NEW_PASSWORD = "another long pass phrase"


def is_signed_in(browser: Client) -> bool:
    """Whether the settings open instead of the sign-in page."""
    return browser.get(reverse("web:settings")).status_code == 200


def test_a_stolen_token_dies_with_the_password(alice: User, bob: User) -> None:
    allow(alice)
    _, stolen = issue_token(alice)
    _, of_bob = issue_token(bob)
    here, there = signed_in(alice), signed_in(alice)
    fields = {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}

    here.post(reverse("web:settings"), {"section": "password", **fields})

    with pytest.raises(TokenRevoked):
        authenticate_token(stolen)
    assert authenticate_token(of_bob).user == bob
    assert [is_signed_in(here), is_signed_in(there)] == [True, False]
    assert alice.browser_sessions.count() == 1


def test_no_token_is_made_on_the_word_of_a_password_that_was_changed_meanwhile(alice: User) -> None:
    signing_in = User.objects.get(pk=alice.pk)  # the old password was right a moment ago
    change_password(alice, NEW_PASSWORD, keep_session=None)

    with pytest.raises(InvalidCredentials):
        issue_token(signing_in)
    assert not alice.api_tokens.exists()


def test_a_wrong_old_password_ends_nothing(alice: User) -> None:
    allow(alice)
    _, plain = issue_token(alice)
    here, there = signed_in(alice), signed_in(alice)
    fields = {"old_password": "wrong", "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}

    refused = here.post(reverse("web:settings"), {"section": "password", **fields})

    assert refused.status_code == 400
    assert [str(message) for message in refused.context["messages"]] == [
        "Nothing was saved: see what is said under the field."
    ]
    assert refused.content.decode().count(" autofocus") == 1
    assert authenticate_token(plain).user == alice
    assert is_signed_in(there)


def test_recovery_ends_every_browser_and_token(alice: User) -> None:
    allow(alice)
    _, stolen = issue_token(alice)
    thief = signed_in(alice)

    recover_account("alice", new_recovery_codes(alice)[0], NEW_PASSWORD)

    with pytest.raises(TokenRevoked):
        authenticate_token(stolen)
    assert not is_signed_in(thief)
    assert alice.browser_sessions.count() == 0


def test_revoking_access_keeps_the_session_named_and_other_peoples(alice: User, bob: User) -> None:
    here, there, of_bob = signed_in(alice), signed_in(alice), signed_in(bob)

    revoke_access(alice, keep_session=here.session.session_key)

    assert alice.browser_sessions.get().session_key == here.session.session_key
    assert there.session.session_key != here.session.session_key
    assert bob.browser_sessions.get().session_key == of_bob.session.session_key
