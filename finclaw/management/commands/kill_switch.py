"""Switch personalization, learning or research off for an organisation or everybody, and on again."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError

from consent.kill_switches import active_switches, lift_switch, throw_switch
from consent.models import Capability, KillSwitch
from finclaw.management.organisations import tenant_named
from finclaw.operator_sign_in import NoTerminal, confirm_by_typing, identify_operator
from foundation.accounts.models import Tenant, User
from foundation.exceptions import FinClawError

WITHOUT_A_TERMINAL = "There is no terminal to ask at: add --yes, and give password and code as lines of standard input."


class Command(BaseCommand):
    """List, throw or lift kill switches. They hold from the next request and job on, without a restart."""

    help = (
        "Switch a capability off for one organisation or for everybody, or on again with --lift. Without "
        "arguments, list the capabilities that are switched off."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "capability", nargs="?", choices=list(Capability.values), help="the capability to switch off"
        )
        parser.add_argument("--tenant", metavar="NAME", help="the organisation (default: everybody)")
        parser.add_argument("--reason", default="", help="the reason, which operators read on the page Today")
        parser.add_argument("--lift", action="store_true", help="switch the capability on again")
        parser.add_argument(
            "--operator", metavar="NAME", help="your user name; you are asked for your password and code"
        )
        parser.add_argument(
            "--yes", action="store_true", help="do not ask to type the capability again as confirmation"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["capability"]:
            for switch in active_switches():
                self.stdout.write(f"{switch.capability} off for {_whom(switch.tenant)} since {switch.thrown_at:%F %T}")
            return
        capability, tenant = Capability(options["capability"]), tenant_named(options["tenant"])
        operator = _confirmed_operator(capability, options)
        try:
            if options["lift"]:
                lift_switch(_standing(capability, tenant).pk, operator)
            else:
                throw_switch(capability, tenant, options["reason"], operator)
        except FinClawError as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(f"{capability.value} is {'on' if options['lift'] else 'off'} for {_whom(tenant)}.")


def _confirmed_operator(capability: Capability, options: dict[str, Any]) -> User:
    try:
        operator = identify_operator(options["operator"])
        if not options["yes"]:
            confirm_by_typing(capability.value)
    except NoTerminal:
        raise CommandError(WITHOUT_A_TERMINAL) from None
    return operator


def _whom(tenant: Tenant | None) -> str:
    return tenant.name if tenant else "everybody"


def _standing(capability: Capability, tenant: Tenant | None) -> KillSwitch:
    switch = active_switches().filter(capability=capability, tenant=tenant).first()
    if switch is None:
        raise CommandError(f"{capability.value} is not off for {_whom(tenant)}.")
    return switch
