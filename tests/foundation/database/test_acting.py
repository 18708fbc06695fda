"""Who a transaction acts for, nested, ended and misused."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.db.transaction import TransactionManagementError

from foundation.accounts.models import User
from foundation.database.acting_user import USER_SETTING, act_for, acting_as, enter_role, in_role, on_behalf_of
from foundation.database.roles import ERASER_ROLE, OPERATOR_ROLE, WORKER_ROLE
from foundation.database.urls import APP_ROLE, OWNER_ROLE


def _acting_for() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(current_setting(%s, true), '')", [USER_SETTING])
        return str(cursor.fetchone()[0])


def _role() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user::text")
        return str(cursor.fetchone()[0])


def test_blocks_nest_and_each_gives_back_what_it_found(alice: User, bob: User) -> None:
    with acting_as(alice.pk):
        with acting_as(bob.pk):
            assert _acting_for() == str(bob.pk)
            with acting_as(None):
                assert _acting_for() == ""
            assert _acting_for() == str(bob.pk)
        assert _acting_for() == str(alice.pk)
    assert _acting_for() == ""


def test_a_block_that_raises_gives_back_what_it_found(alice: User, bob: User) -> None:
    with acting_as(alice.pk):
        with pytest.raises(RuntimeError, match="halfway"), acting_as(bob.pk):
            raise RuntimeError("halfway")
        assert _acting_for() == str(alice.pk)


def test_a_rolled_back_inner_block_leaves_the_outer_one_acting(alice: User) -> None:
    with acting_as(alice.pk):
        with transaction.atomic():
            transaction.set_rollback(True)
        assert _acting_for() == str(alice.pk)


def test_roles_nest_with_users_and_are_given_back(alice: User) -> None:
    with acting_as(alice.pk):
        with in_role(ERASER_ROLE):
            assert (_role(), _acting_for()) == (ERASER_ROLE, str(alice.pk))
            with in_role(WORKER_ROLE):
                assert _role() == WORKER_ROLE
            assert _role() == ERASER_ROLE
        assert (_role(), _acting_for()) == (APP_ROLE, str(alice.pk))


def test_a_role_is_given_back_when_its_block_raises(db: None) -> None:
    with pytest.raises(RuntimeError, match="halfway"), in_role(OPERATOR_ROLE):
        raise RuntimeError("halfway")

    assert _role() == APP_ROLE


@pytest.mark.parametrize("role", [OWNER_ROLE, "postgres", APP_ROLE, "finclaw_backup", ""])
def test_no_other_role_can_be_entered(db: None, role: str) -> None:
    with pytest.raises(ValueError, match="not a role that can be entered"):
        enter_role(role)


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_neither_would_last_and_both_are_refused(alice: User) -> None:
    with pytest.raises(TransactionManagementError):
        act_for(alice.pk)
    with pytest.raises(TransactionManagementError):
        enter_role(WORKER_ROLE)


@pytest.mark.django_db(transaction=True)
def test_user_and_role_end_with_the_transaction(alice: User) -> None:
    with transaction.atomic():
        act_for(alice.pk)
        enter_role(OPERATOR_ROLE)

    assert (_acting_for(), _role()) == ("", APP_ROLE)


def test_act_for_answers_who_it_was_before(alice: User, bob: User) -> None:
    assert act_for(alice.pk) == ""
    assert act_for(bob.pk) == str(alice.pk)
    assert act_for(None) == str(bob.pk)


def test_a_governed_act_leaves_the_operators_role_and_comes_back_to_it(alice: User) -> None:
    with in_role(OPERATOR_ROLE):
        with on_behalf_of(alice.pk):
            assert (_role(), _acting_for()) == (APP_ROLE, str(alice.pk))
        assert (_role(), _acting_for()) == (OPERATOR_ROLE, "")


def test_a_governed_act_that_raises_comes_back_to_it_too(alice: User) -> None:
    with in_role(OPERATOR_ROLE):
        with pytest.raises(RuntimeError, match="halfway"), on_behalf_of(alice.pk):
            raise RuntimeError("halfway")
        assert (_role(), _acting_for()) == (OPERATOR_ROLE, "")
