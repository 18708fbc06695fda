"""The organisation's own legal terms are edited by superusers, and only to what can be counted."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from consent.models import LegalProfile
from foundation.accounts.models import User
from tests.support.operators import sign_in_operator

ADD = reverse("admin:consent_legalprofile_add")
PIPL = reverse("admin:consent_legalprofile_change", args=["pipl"])
FORM = {
    "code": "appi", "name": "APPI (Japan)", "country": "jp", "sla_type": "working", "deletion_sla_days": "10",
    "warn_pct": "30", "critical_pct": "5",
}  # fmt: skip


def test_a_superuser_adds_one_and_the_log_says_so(as_operator: Client, operator: User) -> None:
    assert as_operator.post(ADD, FORM).status_code == 302

    profile = LegalProfile.objects.get(code="appi")
    assert (profile.country, profile.deletion_sla_days, profile.critical_pct) == ("JP", 10, 5)
    assert LogEntry.objects.get().user == operator


def test_a_superuser_changes_the_term_and_not_the_code(as_operator: Client) -> None:
    assert as_operator.post(PIPL, FORM | {"country": "CN", "code": "other"}).status_code == 302

    assert LegalProfile.objects.get(code="pipl").deletion_sla_days == 10
    assert not LegalProfile.objects.filter(code="other").exists()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"country": "ZZ"}, "country"), ({"country": ""}, "country"), ({"deletion_sla_days": "0"}, "deletion_sla_days"),
     ({"warn_pct": "101"}, "warn_pct"), ({"critical_pct": "31"}, "__all__"), ({"sla_type": "lunar"}, "sla_type"),
     ({"code": "two words"}, "code"), ({"code": "pipl"}, "code")],
)  # fmt: skip
def test_what_cannot_be_counted_is_refused(as_operator: Client, wrong: dict[str, str], field: str) -> None:
    page = as_operator.post(ADD, FORM | wrong)

    assert page.status_code == 200
    assert list(page.context["adminform"].errors) == [field]
    assert LegalProfile.objects.count() == 2


def test_calendar_days_need_no_country(as_operator: Client) -> None:
    assert as_operator.post(ADD, FORM | {"country": "", "sla_type": "calendar"}).status_code == 302


def test_other_operators_look_and_change_nothing(client: Client, bob: User) -> None:
    bob.is_staff = True
    bob.save()
    bob.user_permissions.add(*Permission.objects.filter(content_type__model="legalprofile"))
    sign_in_operator(client, bob)

    assert client.get(PIPL).status_code == 200
    assert client.post(PIPL, FORM).status_code == 403
    assert client.post(ADD, FORM).status_code == 403


def test_nobody_deletes_one_since_erasures_name_it(as_operator: Client) -> None:
    delete = reverse("admin:consent_legalprofile_delete", args=["pipl"])

    assert as_operator.post(delete, {"post": "yes"}).status_code == 403
    assert LegalProfile.objects.filter(code="pipl").exists()
