"""Operators switch a capability off on a page or on the server, see on Today that it is off, and switch it on again."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from consent.kill_switches import active_switches, throw_switch
from consent.models import Capability, KillSwitch
from finclaw import operator_sign_in
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from tests.console.test_roles import make_operator
from tests.support.cast import PASSWORD, allow
from tests.support.operators import sign_in_operator

LIST = reverse("admin:consent_killswitch_changelist")
ADD = reverse("admin:consent_killswitch_add")
INDEX = reverse("admin:index")
GIVEN = {"capability": "learning", "tenant": "", "reason": "Wrong notes.", "confirm": "learning"}


def _standing() -> list[KillSwitch]:
    with in_role(OPERATOR_ROLE):
        return list(active_switches())


@pytest.mark.parametrize("role", ["viewer", ""])
def test_other_roles_have_no_such_form(db: None, client: Client, role: str) -> None:
    answer = sign_in_operator(client, make_operator(role)).post(ADD, GIVEN)

    assert answer.status_code == 403
    assert _standing() == []


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"confirm": ""}, "This field is required."),
        ({"confirm": "research"}, "Type Learning to confirm."),
        ({"capability": "everything"}, "Select a valid choice."),
        ({"reason": "Ask alice@example.com"}, "Nothing of this was saved"),
    ],
)
def test_the_form_says_what_is_wrong(as_operator: Client, change: dict[str, str], answer: str) -> None:
    assert answer in as_operator.post(ADD, GIVEN | change).content.decode()
    assert _standing() == []


@pytest.mark.parametrize("role", ["operator", "privacy officer", "superuser"])
def test_it_is_thrown_shown_on_today_and_lifted(db: None, client: Client, role: str) -> None:
    operator = make_operator(role)
    sign_in_operator(client, operator).post(ADD, GIVEN)
    (switch,) = _standing()
    assert (switch.capability, switch.tenant, switch.thrown_by) == ("learning", None, operator.pk)

    today = client.get(INDEX).content.decode()
    assert "Switched off for everybody since" in today
    assert "Wrong notes." in today
    assert "Nothing needs you right now." not in today
    action = {"action": "lift", "_selected_action": [str(switch.pk)]}
    assert "Switch on again?" in client.post(LIST, action).content.decode()
    assert _standing() != []
    assert "1 switch is lifted." in client.post(LIST, action | {"confirmed": "yes"}, follow=True).content.decode()
    assert _standing() == []
    assert "Switched off" not in client.get(INDEX).content.decode()


def test_today_names_the_organisation(as_operator: Client, operator: User) -> None:
    throw_switch(Capability.RESEARCH, Tenant.objects.create(name="Acme"), "A fault.", operator)

    assert "Switched off for Acme since" in as_operator.get(INDEX).content.decode()


def test_the_command_throws_lists_and_lifts(
    db: None, operator: User, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.OPERATOR_SECOND_FACTOR = False
    Tenant.objects.create(name="Acme")
    typed = {"password": PASSWORD, "confirm": "research"}
    monkeypatch.setattr(operator_sign_in, "getpass", lambda prompt: typed["password"])
    monkeypatch.setattr("builtins.input", lambda prompt: typed["confirm"])

    def run(*arguments: str) -> str:
        out = StringIO()
        call_command("kill_switch", *arguments, stdout=out)
        return out.getvalue()

    throw = ("research", "--tenant", "Acme", "--reason", "A fault.", "--operator", "olivia")
    typed["confirm"] = "yes"
    with pytest.raises(CommandError, match="Not confirmed"):
        run(*throw)
    typed["confirm"] = "research"
    assert "research is off for Acme." in run(*throw)
    assert "research off for Acme since" in run()
    with pytest.raises(CommandError, match="already"):
        run(*throw)
    with pytest.raises(CommandError, match="is not off for everybody"):
        run("research", "--lift", "--operator", "olivia")
    assert "research is on for Acme." in run("research", "--tenant", "Acme", "--lift", "--operator", "olivia")
    assert _standing() == []


@pytest.fixture
def without_terminal(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Callable[..., str]:
    """Runs the command where nobody sits, with these lines as standard input."""
    settings.OPERATOR_SECOND_FACTOR = False
    monkeypatch.setattr(operator_sign_in, "_has_terminal", lambda: False)

    def run(*arguments: str, lines: str = "") -> str:
        monkeypatch.setattr("sys.stdin", StringIO(lines))
        out = StringIO()
        call_command("kill_switch", "learning", *arguments, "--operator", "olivia", stdout=out)
        return out.getvalue()

    return run


@pytest.mark.parametrize("lines", ["", f"{PASSWORD}\n"])
def test_without_a_terminal_one_line_says_what_to_add(
    operator: User, without_terminal: Callable[..., str], capsys: pytest.CaptureFixture[str], lines: str
) -> None:
    with pytest.raises(CommandError, match=r"^There is no terminal to ask at: add --yes") as refused:
        without_terminal("--reason", "A fault.", lines=lines)

    assert "\n" not in str(refused.value)
    assert capsys.readouterr().err == ""
    assert _standing() == []


def test_without_a_terminal_yes_and_the_password_as_a_line_do(
    operator: User, without_terminal: Callable[..., str]
) -> None:
    with pytest.raises(CommandError, match="No operator has this name and password"):
        without_terminal("--reason", "A fault.", "--yes", lines="wrong\n")
    assert "learning is off" in without_terminal("--reason", "A fault.", "--yes", lines=f"{PASSWORD}\n")
    assert "learning is on" in without_terminal("--lift", "--yes", lines=f"{PASSWORD}\n")
    assert _standing() == []


@pytest.mark.parametrize(
    ("capability", "pages"),
    [
        ("personalization", {"web:chat": "switched personalization off", "web:ask": "switched personalization off"}),
        ("learning", {"web:chat": "switched learning off", "web:memories": "switched learning off"}),
        ("research", {"web:ask": "switched research off"}),
    ],
)
def test_its_users_read_it_where_it_matters(
    operator: User, alice: User, capability: str, pages: dict[str, str]
) -> None:
    allow(alice)
    client = Client()
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    before = {name: client.get(reverse(name), {"new": "1"}).content.decode() for name in pages}
    assert not [name for name, words in pages.items() if words in before[name]]

    throw_switch(Capability(capability), None, "Wrong notes.", operator)

    for name, words in pages.items():
        page = client.get(reverse(name), {"new": "1"}).content.decode()
        assert words in page
        assert "Wrong notes." not in page
