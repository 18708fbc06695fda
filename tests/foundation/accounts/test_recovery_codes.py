"""Recovery codes open an account once each, and tell nobody why they did not."""

from __future__ import annotations

import pytest

from foundation.accounts.exceptions import InvalidCredentials
from foundation.accounts.models import RecoveryCode, User
from foundation.accounts.services import RECOVERY_CODES, issue_token, new_recovery_codes, recover_account, sign_up

NEW = "another long pass phrase"


@pytest.fixture
def codes(db: None) -> list[str]:
    return sign_up("alice", "the first pass phrase", display_name="Alice", time_zone="Asia/Shanghai")[1]


def test_signing_up_gives_codes_that_are_kept_hashed(codes: list[str]) -> None:
    alice = User.objects.get(username="alice")

    assert len(set(codes)) == RECOVERY_CODES == alice.recovery_codes.count()
    stored = set(alice.recovery_codes.values_list("code_hash", flat=True))
    assert not stored & set(codes)
    assert (alice.display_name, alice.time_zone) == ("Alice", "Asia/Shanghai")


def test_a_code_sets_a_new_password(codes: list[str]) -> None:
    recover_account("alice", codes[0], NEW)

    alice = User.objects.get(username="alice")
    assert alice.check_password(NEW)
    assert not alice.check_password("the first pass phrase")


def test_a_code_works_once_and_the_others_go_on_working(codes: list[str]) -> None:
    recover_account("alice", codes[0], NEW)

    with pytest.raises(InvalidCredentials):
        recover_account("alice", codes[0], "yet another pass phrase")
    assert User.objects.get(username="alice").check_password(NEW)
    recover_account("alice", codes[1], "yet another pass phrase")


def test_case_and_surrounding_space_do_not_matter(codes: list[str]) -> None:
    recover_account("alice", f"  {codes[0].lower()} ", NEW)


def test_recovering_revokes_every_token(codes: list[str]) -> None:
    alice = User.objects.get(username="alice")
    token, _ = issue_token(alice)

    recover_account("alice", codes[0], NEW)

    token.refresh_from_db()
    assert token.revoked_at is not None


def test_wrong_name_wrong_code_and_closed_account_are_told_alike(codes: list[str]) -> None:
    told = set()
    for name, code in (("alice", "AAAAA-AAAAA"), ("nobody", codes[0]), ("alice", "")):
        with pytest.raises(InvalidCredentials) as refused:
            recover_account(name, code, NEW)
        told.add(refused.value.message)
    User.objects.update(is_active=False)
    with pytest.raises(InvalidCredentials) as refused:
        recover_account("alice", codes[0], NEW)
    assert told == {refused.value.message}


def test_somebody_elses_code_opens_nothing(codes: list[str]) -> None:
    sign_up("bob", "the first pass phrase")

    with pytest.raises(InvalidCredentials):
        recover_account("bob", codes[0], NEW)


def test_new_codes_replace_the_old_ones(codes: list[str]) -> None:
    alice = User.objects.get(username="alice")
    fresh = new_recovery_codes(alice)

    assert RecoveryCode.objects.filter(user=alice).count() == RECOVERY_CODES
    with pytest.raises(InvalidCredentials):
        recover_account("alice", codes[0], NEW)
    recover_account("alice", fresh[0], NEW)
