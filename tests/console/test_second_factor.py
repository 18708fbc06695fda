"""Operators give a second factor before any page, and a stolen password alone neither opens nor replaces it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django import Settings

from consent.models import AuditEvent
from finclaw.console import second_factor
from foundation.accounts.models import BrowserSession, User
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from tests.support.cast import PASSWORD
from tests.support.operators import code_of, shown_by

INDEX, VERIFY, ENROL = (reverse(f"admin:{name}") for name in ("index", "second_factor", "second_factor_enrol"))
CODES = reverse("admin:second_factor_codes")
ITEMS = reverse("admin:memory_memoryitem_changelist")


@pytest.fixture
def clock(db: None) -> Iterator[time_machine.Traveller]:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        yield clock


@pytest.fixture
def signed_in(client: Client, operator: User) -> Client:
    """The operator's browser, after the password and before the second factor."""
    client.post(reverse("admin:login"), {"username": "olivia", "password": PASSWORD})
    return client


def another_browser() -> Client:
    """Somebody who knows the operator's password."""
    client = Client()
    client.post(reverse("admin:login"), {"username": "olivia", "password": PASSWORD})
    return client


def enrol(client: Client, operator: User) -> list[str]:
    """Set up an app; answers the backup codes."""
    client.get(ENROL)
    page = client.post(ENROL, {"code": code_of(operator)})
    codes: list[str] = page.context["codes"]
    return codes


def events(action: str) -> list[AuditEvent]:
    with in_role(OPERATOR_ROLE):
        return list(AuditEvent.objects.filter(action=action))


def test_a_newcomer_is_led_to_enrolling_and_back_to_what_they_asked_for(
    signed_in: Client, operator: User, clock: time_machine.Traveller
) -> None:
    asked = signed_in.get(ITEMS, follow=True)
    assert asked.redirect_chain[-1][0].startswith(ENROL)
    assert asked.context["picture"].startswith("data:image/svg+xml")

    page = signed_in.post(asked.request["PATH_INFO"] + "?" + asked.request["QUERY_STRING"], {"code": code_of(operator)})

    assert len(page.context["codes"]) == second_factor.BACKUP_CODES
    assert page.context["next"] == ITEMS
    assert signed_in.get(ITEMS).status_code == 200
    assert [event.actor_id for event in events(second_factor.ENROLLED)] == [operator.pk]


def test_a_stolen_password_opens_nothing_and_enrols_no_other_app(
    signed_in: Client, operator: User, clock: time_machine.Traveller
) -> None:
    enrol(signed_in, operator)
    thief = another_browser()

    assert thief.get(ITEMS).headers["Location"].startswith(VERIFY)
    assert thief.get(ENROL).headers["Location"].startswith(VERIFY)
    assert thief.post(ENROL, {"code": "123456"}).headers["Location"].startswith(VERIFY)
    assert thief.post(CODES).headers["Location"].startswith(VERIFY)
    assert thief.get(reverse("admin:password_change")).headers["Location"].startswith(VERIFY)

    assert TOTPDevice.objects.filter(user=operator).count() == 1


def test_the_code_of_the_app_opens_the_pages_once(
    signed_in: Client, operator: User, clock: time_machine.Traveller
) -> None:
    enrol(signed_in, operator)
    clock.shift(timedelta(minutes=2))
    code = code_of(operator)
    browser, thief = another_browser(), another_browser()

    answer = browser.post(f"{VERIFY}?next={ITEMS}", {"code": f"{code[:3]} {code[3:]}"})

    assert answer.headers["Location"] == ITEMS
    assert browser.get(ITEMS).status_code == 200
    assert thief.post(VERIFY, {"code": code}).status_code == 200  # seen over a shoulder, and used up
    assert thief.get(ITEMS).headers["Location"].startswith(VERIFY)


def test_wrong_codes_are_slowed_down_and_recorded(
    signed_in: Client, operator: User, clock: time_machine.Traveller
) -> None:
    enrol(signed_in, operator)
    clock.shift(timedelta(minutes=2))
    thief = another_browser()
    for _ in range(3):
        thief.post(VERIFY, {"code": "000000"})
        clock.shift(timedelta(seconds=5))
    thief.post(VERIFY, {"code": "000000"})

    page = thief.post(VERIFY, {"code": code_of(operator)})

    assert "Wait 8 seconds" in page.content.decode()
    assert [event.counts["failures"] for event in events(second_factor.CODE_REFUSED)] == [
        4,
        3,
        2,
        1,
    ]  # what waits is not looked at
    assert {event.actor_id for event in events(second_factor.CODE_REFUSED)} == {operator.pk}


def test_a_backup_code_opens_once(signed_in: Client, operator: User, clock: time_machine.Traveller) -> None:
    code = enrol(signed_in, operator)[0]
    first, second = another_browser(), another_browser()

    assert first.post(VERIFY, {"code": code.upper()}).headers["Location"] == INDEX
    assert second.post(VERIFY, {"code": code}).status_code == 200

    assert second.get(INDEX).status_code == 302
    assert StaticToken.objects.filter(device__user=operator).count() == second_factor.BACKUP_CODES - 1
    assert len(events(second_factor.CODE_USED)) == 1


def test_backup_codes_are_made_anew_and_the_old_ones_end(
    signed_in: Client, operator: User, clock: time_machine.Traveller
) -> None:
    old = enrol(signed_in, operator)
    assert "8 of your backup codes" in signed_in.get(CODES).content.decode()

    new = signed_in.post(CODES).context["codes"]

    assert not {*old} & {*new}
    assert another_browser().post(VERIFY, {"code": old[0]}).status_code == 200


def test_no_page_leads_to_another_site(signed_in: Client, operator: User, clock: time_machine.Traveller) -> None:
    enrol(signed_in, operator)

    assert signed_in.get(f"{VERIFY}?next=https://evil.example/").headers["Location"] == INDEX


def test_another_app_replaces_the_first(signed_in: Client, operator: User, clock: time_machine.Traveller) -> None:
    enrol(signed_in, operator)
    signed_in.get(ENROL)
    waiting = TOTPDevice.objects.get(user=operator, confirmed=False)

    signed_in.post(ENROL, {"code": shown_by(waiting)})

    assert [device.pk for device in TOTPDevice.objects.filter(user=operator)] == [waiting.pk]
    assert signed_in.get(ITEMS).status_code == 200


def test_who_is_no_operator_gets_no_page_of_it(client: Client, alice: User) -> None:
    client.force_login(alice, "django.contrib.auth.backends.ModelBackend")

    for address in (VERIFY, ENROL, CODES):
        assert client.get(address).headers["Location"].startswith(reverse("admin:login"))
    assert not TOTPDevice.objects.exists()


def test_the_setting_turns_it_off(signed_in: Client, settings: Settings) -> None:
    settings.OPERATOR_SECOND_FACTOR = False

    assert signed_in.get(INDEX).status_code == 200


def test_who_is_locked_out_is_let_enrol_again_by_a_command(
    signed_in: Client, operator: User, clock: time_machine.Traveller
) -> None:
    enrol(signed_in, operator)

    call_command("operator_second_factor", "olivia", "--reset", verbosity=0)

    assert not TOTPDevice.objects.exists()
    assert not StaticToken.objects.exists()
    assert not BrowserSession.objects.filter(user=operator).exists()
    (event,) = events(second_factor.RESET)
    assert (event.user_id, event.actor_id) == (operator.pk, None)
    assert another_browser().get(VERIFY).headers["Location"].startswith(ENROL)
    with pytest.raises(CommandError, match="no operator"):
        call_command("operator_second_factor", "nobody", "--reset", verbosity=0)
