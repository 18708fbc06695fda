"""Operators have an export built on request, see how it went, and cannot open it."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from consent.models import AuditEvent, DataExport
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from tests.support.cast import allow
from tests.support.operators import sign_in_operator

PEOPLE = reverse("admin:accounts_user_changelist")
LIST = reverse("admin:consent_dataexport_changelist")


def _selection(*people: User, **more: str) -> dict[str, object]:
    return {"action": "export", "_selected_action": [str(person.pk) for person in people], **more}


def _exports() -> list[DataExport]:
    with in_role(OPERATOR_ROLE):
        return list(DataExport.objects.select_related("user"))


def test_it_is_asked_first(as_operator: Client, alice: User) -> None:
    page = as_operator.post(PEOPLE, _selection(alice))

    assert "Build an export?" in page.content.decode()
    assert _exports() == []


def test_confirmed_it_is_the_persons_export_and_the_audit_names_the_operator(
    as_operator: Client, operator: User, alice: User
) -> None:
    allow(alice)
    as_operator.post(PEOPLE, _selection(alice, confirmed="yes"))

    (export,) = _exports()
    assert (export.user, export.source, export.state) == (alice, "operator", "pending")
    with in_role(OPERATOR_ROLE):
        act = AuditEvent.objects.get(action="export.requested_by_operator")
    assert (act.user_id, act.actor_id, act.subject_id) == (alice.pk, operator.pk, export.pk)
    assert LogEntry.objects.get().object_id == str(alice.pk)


def test_who_may_change_people_alone_cannot_ask_for_an_export(client: Client, bob: User, alice: User) -> None:
    bob.is_staff = True
    bob.save()
    bob.user_permissions.add(*Permission.objects.filter(codename__in=("view_user", "change_user")))
    sign_in_operator(client, bob)

    client.post(PEOPLE, _selection(alice, confirmed="yes"))

    assert _exports() == []


def test_the_list_tells_how_it_went_and_leads_nowhere(as_operator: Client, alice: User) -> None:
    with acting_as(alice.pk):
        export = DataExport.objects.create(
            user=alice, state="ready", progress=100, size=3_500_000, sha256="ab" * 32, source="web",
            expires_at=timezone.now() + timedelta(days=7),
        )  # fmt: skip

    pages = [as_operator.get(LIST), as_operator.get(reverse("admin:consent_dataexport_change", args=[export.pk]))]

    for page in (one.content.decode() for one in pages):
        assert "3.3\xa0MB" in page
        assert "download" not in page.lower()
        assert export.sha256 not in page
    assert as_operator.get(LIST, {"state__exact": "failed"}).context["cl"].result_count == 0
