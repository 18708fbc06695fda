"""Nobody climbs in through the page of accounts: not to more permissions, not into somebody's account."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import reverse

from consent.models import AuditEvent
from finclaw.console.audit import ACCOUNT_ADDED, ACCOUNT_CHANGED, PASSWORD_SET, REFUSED_ACTION
from foundation.accounts.exceptions import TokenRevoked
from foundation.accounts.models import BrowserSession, User
from foundation.accounts.services import authenticate_token, issue_token
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from tests.support.cast import PASSWORD
from tests.support.operators import sign_in_operator

NEW_PASSWORD = "quite another pass phrase"
SET_PASSWORD = {"usable_password": "true", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}


@pytest.fixture
def oscar(db: None) -> User:
    """An operator who may change accounts, and is no superuser."""
    user = User.objects.create_user(username="oscar", password=PASSWORD, is_staff=True)
    user.groups.set([Group.objects.get(name="operator")])
    return user


@pytest.fixture
def as_oscar(client: Client, oscar: User) -> Client:
    return sign_in_operator(client, oscar)


def page_of(user: User) -> str:
    return reverse("admin:accounts_user_change", args=[user.pk])


def form_of(user: User, **changes: Any) -> dict[str, Any]:
    """What the page of an account posts, with changes."""
    fields: dict[str, Any] = {
        "display_name": user.display_name, "time_zone": user.time_zone, "role": user.role, "tenant": "",
        "memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0,
    }  # fmt: skip
    fields |= {"is_active": "on"} if user.is_active else {}
    return {name: value for name, value in (fields | changes).items() if value is not None}


def events(action: str) -> list[AuditEvent]:
    with in_role(OPERATOR_ROLE):
        return list(AuditEvent.objects.filter(action=action))


@pytest.mark.parametrize(
    "field", [{"is_superuser": "on"}, {"is_staff": "on"}, {"groups": "1"}, {"user_permissions": "1"}, {"username": "x"}]
)
def test_an_operator_posts_a_permission_and_gets_none(
    as_oscar: Client, oscar: User, alice: User, field: dict[str, str]
) -> None:
    for target in (alice, oscar):
        assert as_oscar.post(page_of(target), form_of(target, **field)).status_code == 403
        target.refresh_from_db()

    assert (alice.is_staff, alice.is_superuser, alice.username) == (False, False, "alice")
    assert not oscar.is_superuser
    assert not alice.user_permissions.exists()
    tried = events(REFUSED_ACTION)
    assert {(event.user_id, event.actor_id) for event in tried} == {(alice.pk, oscar.pk), (oscar.pk, oscar.pk)}
    assert {tuple(event.details["what"]) for event in tried} == {tuple(field)}


def test_an_operator_changes_nothing_of_a_superuser_or_another_operator(
    as_oscar: Client, operator: User, bob: User
) -> None:
    User.objects.filter(pk=bob.pk).update(is_staff=True)

    for target in (operator, bob):
        assert as_oscar.get(page_of(target)).status_code == 200
        assert as_oscar.post(page_of(target), form_of(target, is_active=None)).status_code == 403
        target.refresh_from_db()
        assert target.is_active
    assert len(events(REFUSED_ACTION)) == 2


def test_an_operators_page_of_a_person_leads_only_where_they_may_go(as_oscar: Client, alice: User) -> None:
    page = as_oscar.get(page_of(alice)).content.decode()

    assert f"{reverse('admin:outbox_outboxmessage_changelist')}?user__id__exact={alice.pk}" in page
    assert reverse("admin:memory_memoryitem_changelist") not in page


def test_nobody_sets_the_password_of_a_person(
    client: Client, as_oscar: Client, operator: User, alice: User, oscar: User
) -> None:
    address = reverse("admin:auth_user_password_change", args=[alice.pk])

    assert as_oscar.get(address).status_code == 403
    assert as_oscar.post(address, SET_PASSWORD).status_code == 403
    assert sign_in_operator(client, operator).post(address, SET_PASSWORD).status_code == 403
    assert client.post(page_of(alice), form_of(alice, username="alice", password="x")).status_code == 403

    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)
    assert [event.details["what"] for event in events(REFUSED_ACTION)] == [["password"]] * 4


def test_an_operators_password_is_set_by_a_superuser_and_ends_their_access(
    client: Client, operator: User, oscar: User
) -> None:
    address = reverse("admin:auth_user_password_change", args=[oscar.pk])
    _token, plain = issue_token(oscar)
    Client().force_login(oscar, "django.contrib.auth.backends.ModelBackend")
    assert sign_in_operator(client, oscar).post(address, SET_PASSWORD).status_code == 403

    assert sign_in_operator(client, operator).post(address, SET_PASSWORD).status_code == 302

    oscar.refresh_from_db()
    assert oscar.check_password(NEW_PASSWORD)
    assert not BrowserSession.objects.filter(user=oscar).exists()
    with pytest.raises(TokenRevoked):
        authenticate_token(plain)
    (event,) = events(PASSWORD_SET)
    assert (event.user_id, event.actor_id, event.details) == (oscar.pk, operator.pk, {})


def test_an_operators_own_new_password_ends_their_access_elsewhere(as_oscar: Client, oscar: User) -> None:
    _token, plain = issue_token(oscar)
    elsewhere = Client()
    elsewhere.force_login(oscar, "django.contrib.auth.backends.ModelBackend")
    form = {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}

    assert as_oscar.post(reverse("admin:password_change"), form).status_code == 302

    assert as_oscar.get(reverse("admin:index")).status_code == 200
    assert BrowserSession.objects.filter(user=oscar).count() == 1
    with pytest.raises(TokenRevoked):
        authenticate_token(plain)
    assert [event.user_id for event in events(PASSWORD_SET)] == [oscar.pk]


def test_who_is_deactivated_is_signed_out_at_once_and_it_is_recorded(
    as_oscar: Client, oscar: User, alice: User
) -> None:
    issue_token(alice)
    Client().force_login(alice, "django.contrib.auth.backends.ModelBackend")

    assert as_oscar.post(page_of(alice), form_of(alice, is_active=None, display_name="Al")).status_code == 302

    assert not BrowserSession.objects.filter(user=alice).exists()
    with in_role(OPERATOR_ROLE):
        assert not alice.api_tokens.filter(revoked_at=None).exists()
    (event,) = events(ACCOUNT_CHANGED)
    assert (event.user_id, event.actor_id) == (alice.pk, oscar.pk)
    assert event.details == {"is_active": [True, False], "fields": ["display_name"]}


def test_a_display_name_is_recorded_without_its_words_and_signs_nobody_out(as_oscar: Client, alice: User) -> None:
    Client().force_login(alice, "django.contrib.auth.backends.ModelBackend")

    assert as_oscar.post(page_of(alice), form_of(alice, display_name="Alice the Great")).status_code == 302

    assert BrowserSession.objects.filter(user=alice).exists()
    assert [event.details for event in events(ACCOUNT_CHANGED)] == [{"fields": ["display_name"]}]


@pytest.mark.parametrize("name", ["bob", "B\u043eb", "Support"])
def test_nobody_is_given_a_display_name_that_passes_for_somebody_elses(
    as_oscar: Client, alice: User, bob: User, name: str
) -> None:
    before = alice.display_name

    page = as_oscar.post(page_of(alice), form_of(alice, display_name=name))

    assert page.context["errors"]
    alice.refresh_from_db()
    assert alice.display_name == before


def test_a_superuser_gives_a_role_and_old_and_new_are_recorded(
    as_operator: Client, operator: User, alice: User
) -> None:
    _token, plain = issue_token(alice)
    viewer = Group.objects.get(name="viewer")
    permission = Permission.objects.get(codename="view_auditevent")
    form = form_of(alice, username="alice", is_staff="on", groups=[viewer.pk], user_permissions=[permission.pk])

    answer = as_operator.post(page_of(alice), form)

    assert answer.status_code == 302, answer.context["adminform"].errors
    (event,) = events(ACCOUNT_CHANGED)
    assert (event.user_id, event.actor_id) == (alice.pk, operator.pk)
    assert event.details == {
        "is_staff": [False, True], "groups": [[], ["viewer"]], "user_permissions": [[], ["view_auditevent"]],
    }  # fmt: skip
    with pytest.raises(TokenRevoked):
        authenticate_token(plain)


def test_superusers_alone_make_the_accounts_of_operators(client: Client, as_oscar: Client, operator: User) -> None:
    form = {"username": "dora", **SET_PASSWORD}

    assert as_oscar.post(reverse("admin:accounts_user_add"), form).status_code == 403
    assert sign_in_operator(client, operator).post(reverse("admin:accounts_user_add"), form).status_code == 302

    dora = User.objects.get(username="dora")
    assert (dora.is_staff, dora.is_superuser) == (True, False)
    (event,) = events(ACCOUNT_ADDED)
    assert (event.user_id, event.actor_id) == (dora.pk, operator.pk)
    assert NEW_PASSWORD not in str(event.details)


def test_groups_of_permissions_are_for_superusers_and_roles_for_nobody(
    client: Client, as_oscar: Client, oscar: User, operator: User
) -> None:
    oscar.user_permissions.set(Permission.objects.filter(content_type__app_label="auth"))
    role = Group.objects.get(name="operator")
    before = role.permissions.count()
    address = reverse("admin:auth_group_change", args=[role.pk])
    everything = {"name": "operator", "permissions": list(Permission.objects.values_list("pk", flat=True))}

    assert as_oscar.post(address, everything).status_code == 403
    assert as_oscar.get(reverse("admin:auth_group_changelist")).status_code == 403
    assert sign_in_operator(client, operator).get(address).status_code == 200
    assert client.post(address, everything).status_code == 403
    assert client.post(reverse("admin:auth_group_delete", args=[role.pk]), {"post": "yes"}).status_code == 403

    assert role.permissions.count() == before < len(everything["permissions"])
