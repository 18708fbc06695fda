"""An operator of every role at every address of the admin: only what the role says, and each try is recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from importlib import import_module
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.admin import ModelAdmin as DjangoModelAdmin
from django.contrib.auth.models import Group, Permission
from django.contrib.messages.storage.cookie import CookieStorage
from django.db import connection
from django.http import Http404
from django.test import Client, RequestFactory
from django.urls import resolve, reverse
from django.utils.html import escape
from django_q.models import Success
from pytest_django import Settings

from consent.models import AuditEvent
from finclaw.console.audit import REFUSED_ACTION
from finclaw.console.checks import every_page_is_named_in_the_table_of_roles, operators_give_a_second_factor
from finclaw.console.roles import OPERATOR, PRIVACY_OFFICER, ROLES, SUPERUSERS_ONLY, VIEWER, role_descriptions
from foundation.accounts.browser_sessions import SessionStore
from foundation.accounts.models import ApiToken, User
from foundation.admin import ModelAdmin
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from tests.console.addresses import Rows, addresses, model_at
from tests.support.cast import PASSWORD
from tests.support.operators import sign_in_operator

FIGURES = {
    "quality": "view_quality",
    "organisations": "view_quality",
    "historian": "view_historian",
    "drift-week": "view_drift",
    "model-costs": "view_model_costs",
}
NO_PERMISSION_NEEDED = (
    "/admin/", "/admin/login/", "/admin/logout/", "/admin/password_change/", "/admin/password_change/done/",
    "/admin/jsi18n/", "/admin/second-factor/", "/admin/second-factor/enrol/", "/admin/second-factor/codes/",
)  # fmt: skip
BEFORE_IT = ("/admin/login/", "/admin/second-factor/")
VERBS = {"add": "add", "delete": "delete", "change": "change", "history": "view", "password": "change_password_of"}


class Answer(NamedTuple):
    method: str
    address: str
    status: int
    location: str


def make_operator(role: str) -> User:
    """Somebody of the staff with one role, or none."""
    if role == "superuser":
        return User.objects.create_superuser(username="sandra", password=PASSWORD)
    user = User.objects.create_user(username=f"staff-{role[:4]}", password=PASSWORD, is_staff=True)
    user.groups.set(Group.objects.filter(name=role))
    return user


def _tries(rows: Rows) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each address by GET and POST; on a list each action over everything as well."""
    for address in addresses({model: keys[:1] for model, keys in rows.items()}):
        if "logout" in address or _leads_to_its_row(address):
            continue
        yield "GET", address, {}
        yield "POST", address, {"post": "yes"} if address.endswith("/delete/") else {}
        model = model_at(address)
        if model is not None and len(address.strip("/").split("/")) == 3:
            for action in ("delete_selected", *map(str, admin.site._registry[model].actions or ())):
                yield "POST", address, {"action": action, "_selected_action": rows[model]}


def _leads_to_its_row(address: str) -> bool:
    """Django's address of a row without a verb, which redirects to the page of the row."""
    last = address.strip("/").split("/")[-1]
    return bool(model_at(address)) and address.count("/") > 4 and last not in {*VERBS, "password"}


class Walker:
    """Asks each view itself, as the handler would: without middleware three times as many tries go into a second."""

    def __init__(self, operator: User, *, second_factor: bool = True) -> None:
        operator.is_verified = lambda: second_factor  # type: ignore[attr-defined]  # of django-otp's middleware
        self.operator = operator
        self.factory = RequestFactory()

    def walk(self, rows: Rows) -> list[Answer]:
        return [self.ask(*a_try) for a_try in _tries(rows)]

    def ask(self, method: str, address: str, body: dict[str, Any]) -> Answer:
        request: Any = self.factory.get(address) if method == "GET" else self.factory.post(address, body)
        request.user, request.session, request._messages = self.operator, SessionStore(), CookieStorage(request)
        request._dont_enforce_csrf_checks = True
        view, arguments, named = request.resolver_match = resolve(address)
        try:
            answer = view(request, *arguments, **named)
        except Http404:
            return Answer(method, address, 404, "")
        return Answer(method, address, answer.status_code, answer.headers.get("Location", ""))


def _refused() -> int:
    with in_role(OPERATOR_ROLE):
        return AuditEvent.objects.filter(action=REFUSED_ACTION).count()


def _may(permissions: frozenset[str], answer: Answer) -> bool:
    """What the table says of an address, by its name alone."""
    model = model_at(answer.address)
    parts = answer.address.strip("/").split("/")
    if model is None:
        named = FIGURES.get(parts[1], "") if len(parts) > 1 else ""
        lists_pages_of_app = len(parts) == 2 and any(name.startswith(f"{parts[1]}.view_") for name in permissions)
        return answer.address in NO_PERMISSION_NEEDED or f"finclaw.{named}" in permissions or lists_pages_of_app
    verb = VERBS.get(parts[-1], "view")
    verb = "view" if verb == "change" and answer.method == "GET" else verb
    return f"{model._meta.app_label}.{verb}_{model._meta.model_name}" in permissions


@pytest.mark.parametrize("role", ["none", *(role.name for role in ROLES)])
def test_a_role_opens_what_its_table_says_and_every_try_beyond_is_recorded(role: str, everything: Rows) -> None:
    permissions = next((one.permissions for one in ROLES if one.name == role), frozenset[str]())
    before = _refused()

    answers = Walker(make_operator(role)).walk(everything)

    assert [answer for answer in answers if answer.status >= 500] == []
    beyond = [answer for answer in answers if not _may(permissions, answer)]
    assert [answer for answer in beyond if answer.status not in {403, 404, 405}] == []
    opened = {answer.address for answer in answers if answer.status == 200 and answer.method == "GET"}
    due = {answer.address for answer in answers if answer.method == "GET" and _may(permissions, answer)}
    assert {address for address in due - opened if address.count("/") == 4 and model_at(address)} == set()
    assert _refused() - before == sum(answer.status == 403 for answer in answers) > 100


def test_a_superuser_without_the_second_factor_is_led_to_it_from_everywhere(everything: Rows) -> None:
    answers = Walker(make_operator("superuser"), second_factor=False).walk(everything)

    elsewhere = [answer for answer in answers if not answer.address.startswith(BEFORE_IT)]
    asked_for = reverse("admin:second_factor")
    assert [answer for answer in elsewhere if not answer.location.startswith(asked_for)] == []
    assert _refused() == sum(answer.method == "POST" for answer in elsewhere) > 100


def test_a_superuser_opens_every_list_and_every_row_but_those_of_tokens(everything: Rows) -> None:
    walker = Walker(make_operator("superuser"))
    pages = [address for address in addresses(everything) if model_at(address)]
    pages = [address for address in pages if address.count("/") == 4 or address.endswith("/change/")]

    closed = {address for address in pages if walker.ask("GET", address, {}).status != 200}

    assert closed == {reverse("admin:accounts_apitoken_change", args=[key]) for key in everything[ApiToken]}


def test_staff_without_a_role_see_an_empty_page_that_names_the_roles(client: Client, db: None) -> None:
    sign_in_operator(client, make_operator("none"))

    page = client.get(reverse("admin:index"))

    assert page.status_code == 200
    assert "today" not in page.context
    assert page.context["app_list"] == []
    for name, description in role_descriptions():
        assert f"<dt>{name}</dt><dd>{escape(description)}</dd>" in page.content.decode()


def test_every_registered_page_stands_in_the_table_of_permissions() -> None:
    assert every_page_is_named_in_the_table_of_roles() == []
    assert {model._meta.label for model in admin.site._registry} >= SUPERUSERS_ONLY

    with patch.dict(admin.site._registry, {Success: DjangoModelAdmin(Success, admin.site)}):
        found = every_page_is_named_in_the_table_of_roles()

    assert [message.id for message in found] == ["console.E001", "console.E002"]


def test_a_deployment_without_the_second_factor_is_warned_about(settings: Settings) -> None:
    settings.HTTPS = True
    assert operators_give_a_second_factor() == []

    settings.OPERATOR_SECOND_FACTOR = False

    assert [message.id for message in operators_give_a_second_factor()] == ["console.W001"]


def test_pages_of_figures_lead_only_where_the_role_may_go(client: Client, everything: Rows) -> None:
    for role in ROLES:
        walker = Walker(make_operator(role.name))
        sign_in_operator(client, walker.operator)
        pages = [client.get(reverse(f"admin:{name}")) for name in ("index", "quality", "historian", "drift")]
        links = {link for page in pages for link in re.findall(r'href="(/admin/[^"#]*)', page.content.decode())}

        refused = {link for link in links if walker.ask("GET", unescape(link), {}).status == 403}

        assert refused == set(), role.name
        assert len(links) >= 10, role.name


def test_the_migrated_groups_hold_what_the_table_says(db: None) -> None:
    for role in ROLES:
        held = Permission.objects.filter(group__name=role.name).select_related("content_type")
        assert {f"{one.content_type.app_label}.{one.codename}" for one in held} == role.permissions


def test_a_group_of_the_installations_own_keeps_what_it_holds_under_another_name(db: None) -> None:
    own = Group.objects.get(name="viewer")
    own.permissions.set(Permission.objects.filter(codename="change_user"))

    import_module("finclaw.migrations.0001_squashed_0003_viewers_read_counts_alone").make_roles(
        apps, SimpleNamespace(connection=connection)
    )

    own.refresh_from_db()
    assert own.name == "viewer (before roles)"
    assert [permission.codename for permission in own.permissions.all()] == ["change_user"]
    assert Group.objects.get(name="viewer").permissions.count() == len(VIEWER.permissions)


def test_no_role_reads_peoples_words_but_the_privacy_officer() -> None:
    wordy = {
        f"{model._meta.app_label}.view_{model._meta.model_name}"
        for model, page in admin.site._registry.items()
        if isinstance(page, ModelAdmin) and page.shows_personal_text
    }

    assert VIEWER.permissions & wordy == set()
    assert OPERATOR.permissions & wordy == {"knowledge.view_knowledgeentry"}  # released by them
    assert wordy <= PRIVACY_OFFICER.permissions


def test_no_role_changes_accounts_permissions_or_groups_of_permissions() -> None:
    for role in ROLES:
        assert not {name for name in role.permissions if name.startswith("auth.")}
        assert "accounts.add_user" not in role.permissions
        assert "accounts.delete_user" not in role.permissions


def test_the_document_describes_every_role_in_the_same_words() -> None:
    page = (settings.BASE_DIR / "docs" / "operators.md").read_text()

    for name, description in role_descriptions():
        assert f"| {name} | {description} |" in page


def test_a_page_beyond_the_role_says_who_gives_roles(client: Client, db: None) -> None:
    sign_in_operator(client, make_operator("none"))

    page = client.get(reverse("admin:quality"))

    assert page.status_code == 403
    assert "A superuser gives roles." in page.content.decode()


def test_the_log_names_who_was_refused(client: Client, db: None) -> None:
    refused = make_operator("none")
    sign_in_operator(client, refused)
    client.get(reverse("admin:quality"))
    sign_in_operator(client, make_operator("privacy officer"))

    log = client.get(reverse("admin:consent_auditevent_changelist")).content.decode()

    assert f'<td class="field-actor">{refused.username}</td>' in log
