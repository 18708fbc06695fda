"""Who gets in, and what the operators' database role may write."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.urls import reverse

from consent.models import ProfileConsent
from foundation.accounts.models import Tenant, User
from tests.support.cast import PASSWORD, allow
from tests.support.operators import sign_in_operator

INDEX = reverse("admin:index")
PAGES = ("admin:index", "admin:accounts_user_changelist", "admin:memory_memoryitem_changelist")


@pytest.mark.parametrize("page", PAGES)
def test_a_stranger_is_asked_to_sign_in(client: Client, db: None, page: str) -> None:
    answer = client.get(reverse(page))

    assert answer.status_code == 302
    assert answer.headers["Location"].startswith(reverse("admin:login"))


@pytest.mark.parametrize("page", PAGES)
def test_somebody_who_is_not_staff_gets_nothing(client: Client, charlie: User, page: str) -> None:
    client.force_login(charlie, backend="django.contrib.auth.backends.ModelBackend")

    assert client.get(reverse(page)).status_code == 302


def test_the_sign_in_page_lets_an_operator_in(client: Client, operator: User) -> None:
    login = reverse("admin:login")
    assert client.get(login).status_code == 200

    answer = client.post(login, {"username": "olivia", "password": PASSWORD, "next": INDEX})

    assert (answer.status_code, answer.headers["Location"]) == (302, INDEX)
    assert client.get(INDEX).headers["Location"].startswith(reverse("admin:second_factor"))
    assert sign_in_operator(client, operator).get(INDEX).status_code == 200


def test_a_wrong_password_does_not(client: Client, operator: User) -> None:
    client.post(reverse("admin:login"), {"username": "olivia", "password": "something else"})

    assert client.get(INDEX).status_code == 302


def test_staff_without_a_permission_see_no_page_of_it(client: Client, bob: User, alice: User) -> None:
    allow(alice)
    bob.is_staff = True
    bob.save()
    bob.user_permissions.add(Permission.objects.get(codename="view_profileconsent"))
    sign_in_operator(client, bob)

    assert client.get(reverse("admin:consent_profileconsent_changelist")).context["cl"].result_count == 1
    assert client.get(reverse("admin:memory_memoryitem_changelist")).status_code == 403
    menu = client.get(INDEX).context["app_list"]
    assert [(group["app_label"], len(group["models"])) for group in menu] == [("people", 1)]


@pytest.mark.django_db(transaction=True)
def test_an_operators_reading_ends_with_the_request(as_operator: Client, alice: User) -> None:
    allow(alice)
    page = as_operator.get(reverse("admin:consent_profileconsent_changelist"))

    assert page.context["cl"].result_count == 1
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user::text")
        assert cursor.fetchone() == ("finclaw_app",)
    assert not ProfileConsent.objects.exists()


def test_an_operator_changes_a_user_and_the_log_says_so(as_operator: Client, operator: User, alice: User) -> None:
    form = {
        "username": "alice", "display_name": "Alice B.", "time_zone": "Asia/Shanghai", "role": "viewer", "tenant": "",
        "is_active": "on", "memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0,
    }  # fmt: skip

    answer = as_operator.post(reverse("admin:accounts_user_change", args=[alice.pk]), form)

    assert answer.status_code == 302, answer.context["adminform"].errors
    alice.refresh_from_db()
    assert (alice.display_name, alice.time_zone, alice.role) == ("Alice B.", "Asia/Shanghai", "viewer")
    entry = LogEntry.objects.get()
    assert (entry.user, entry.object_id, entry.action_flag) == (operator, str(alice.pk), CHANGE)


def test_an_operator_adds_a_user_and_a_tenant(as_operator: Client) -> None:
    user = {"username": "dora", "usable_password": "true", "password1": PASSWORD, "password2": PASSWORD}
    tenant = {"name": "North desk", "org_tier": "brand_hq", "settings": "{}"}

    assert as_operator.post(reverse("admin:accounts_user_add"), user).status_code == 302
    assert as_operator.post(reverse("admin:accounts_tenant_add"), tenant).status_code == 302

    assert User.objects.get(username="dora").check_password(PASSWORD)
    assert Tenant.objects.filter(name="North desk").exists()
    assert LogEntry.objects.filter(action_flag=ADDITION).count() == 2


def test_an_account_is_not_deleted_from_a_list(as_operator: Client, alice: User) -> None:
    assert as_operator.post(reverse("admin:accounts_user_delete", args=[alice.pk]), {"post": "yes"}).status_code == 403
    selection = {"action": "delete_selected", "_selected_action": [str(alice.pk)], "post": "yes"}
    as_operator.post(reverse("admin:accounts_user_changelist"), selection)

    assert User.objects.filter(pk=alice.pk).exists()
