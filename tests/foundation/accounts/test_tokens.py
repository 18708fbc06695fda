"""API tokens: hashed at rest, expiring, revocable, and each refusal by its own name."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from foundation.accounts.exceptions import TokenExpired, TokenInvalid, TokenRevoked
from foundation.accounts.models import ApiToken, User
from foundation.accounts.services import LAST_USED_RESOLUTION, authenticate_token, issue_token, revoke_tokens


def test_a_token_leads_to_its_user_and_is_nowhere_stored_in_clear(alice: User) -> None:
    token, plain = issue_token(alice, "laptop")

    assert authenticate_token(plain).user == alice
    row = ApiToken.objects.values().get(pk=token.pk)
    assert not any(plain in str(value) for value in row.values())
    assert row["name"] == "laptop"


@pytest.mark.parametrize("plain", ["", "x", "0" * 64, "not hexadecimal at all " * 3, "钥匙" * 20])
def test_what_never_was_a_token_is_unknown(alice: User, plain: str) -> None:
    issue_token(alice)

    with pytest.raises(TokenInvalid):
        authenticate_token(plain)


def test_a_token_altered_behind_its_lookup_key_is_unknown(alice: User) -> None:
    _, plain = issue_token(alice)

    with pytest.raises(TokenInvalid):
        authenticate_token(plain[:-1] + ("0" if plain[-1] != "0" else "1"))


def test_an_expired_token_says_so_from_the_very_moment(alice: User) -> None:
    token, plain = issue_token(alice)
    assert token.expiry is not None

    with time_machine.travel(token.expiry - timedelta(seconds=1), tick=False):
        authenticate_token(plain)
    with time_machine.travel(token.expiry, tick=False), pytest.raises(TokenExpired):
        authenticate_token(plain)


def test_a_revoked_token_says_so_even_after_it_expired(alice: User) -> None:
    token, plain = issue_token(alice)
    revoke_tokens(alice)

    with pytest.raises(TokenRevoked):
        authenticate_token(plain)
    ApiToken.objects.filter(pk=token.pk).update(expiry=timezone.now())
    with pytest.raises(TokenRevoked):
        authenticate_token(plain)


def test_the_token_of_a_closed_account_is_unknown(alice: User) -> None:
    _, plain = issue_token(alice)
    User.objects.filter(pk=alice.pk).update(is_active=False)

    with pytest.raises(TokenInvalid):
        authenticate_token(plain)


def test_one_token_is_revoked_and_the_others_live_on(alice: User) -> None:
    token, _ = issue_token(alice)
    _, other = issue_token(alice)

    assert revoke_tokens(alice, token.id) == 1
    assert revoke_tokens(alice, token.id) == 0
    assert authenticate_token(other).user == alice


def test_nobody_revokes_somebody_elses_token(alice: User, bob: User) -> None:
    token, plain = issue_token(alice)

    assert revoke_tokens(bob, token.id) == 0
    assert revoke_tokens(bob) == 0
    assert authenticate_token(plain).user == alice


def test_use_is_noted_once_a_minute(alice: User) -> None:
    token, plain = issue_token(alice)
    start = timezone.now()
    noted = []
    for after in (timedelta(0), LAST_USED_RESOLUTION / 2, LAST_USED_RESOLUTION * 2):
        with time_machine.travel(start + after, tick=False):
            authenticate_token(plain)
        noted.append(ApiToken.objects.values_list("last_used_at", flat=True).get(pk=token.pk))

    assert noted == [start, start, start + LAST_USED_RESOLUTION * 2]


def test_a_token_made_by_the_former_library_still_opens(alice: User) -> None:
    # django-rest-knox 5.1: 32 random bytes in hexadecimal, their SHA-512 in hexadecimal, the first 15 digits as key.
    plain = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    digest = (
        "286f37dd952ff65ef75ffdc183e73b33e111d0d1652c3356e4bc54c714a34df8"
        "c3bb4c8d48b799e11e97ff2bd86f4d396bd13e764c81d2be8ead32d47bd8f848"
    )
    ApiToken.objects.create(user=alice, digest=digest, token_key="9f86d081884c7d6", name="made before")

    assert authenticate_token(plain).user == alice
