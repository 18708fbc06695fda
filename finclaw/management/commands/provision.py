"""Provision organisations, accounts and service tokens; list the tokens, and revoke one."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management import BaseCommand, CommandError

from finclaw.management.organisations import tenant_named
from finclaw.operator_sign_in import identify_operator
from finclaw.provisioning import add_account, add_service_token, add_tenant, end_service_token
from foundation.accounts.models import Tenant, User
from foundation.accounts.service_tokens import live_service_tokens
from foundation.exceptions import FinClawError


class Command(BaseCommand):
    """What ``/api/provisioning`` does with a token, done by a superuser with password and code; audited alike."""

    help = "Add an organisation, an account or a service token; list an organisation's tokens, or revoke one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
        tenant = what.add_parser("tenant", help="add an organisation")
        tenant.add_argument("name")
        account = what.add_parser("account", help="add an account for a person who signs in")
        account.add_argument("username")
        account.add_argument("--role", choices=User.Role.values, default=User.Role.EDITOR)
        token = what.add_parser(
            "token", help="issue a service token; without --tenant it may create organisations and accounts"
        )
        token.add_argument("name", help="the name of the application that uses the token")
        listed = what.add_parser("tokens", help="list the service tokens that have not been revoked")
        revoked = what.add_parser("revoke", help="revoke a service token at once")
        revoked.add_argument("token_id", type=UUID, metavar="ID")
        for one in (account, token, listed):
            one.add_argument("--tenant", metavar="NAME", help="the organisation")
        for one in (tenant, account, token, revoked):
            one.add_argument(
                "--operator", metavar="NAME", help="your user name; you are asked for your password and code"
            )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["what"] == "tokens":
            self._list(tenant_named(options["tenant"]))
            return
        operator = identify_operator(options["operator"])
        try:
            self._provision(options, operator)
        except FinClawError as refusal:
            sentences = [sentence for field in refusal.details.values() for sentence in field]
            raise CommandError(" ".join(sentences) or refusal.message) from None

    def _provision(self, options: dict[str, Any], operator: User) -> None:
        if options["what"] == "tenant":
            self.stdout.write(f"Added: {add_tenant(options['name'], operator).pk}")
        elif options["what"] == "account":
            user, codes = add_account(options["username"], tenant_named(options["tenant"]), options["role"], operator)
            self.stdout.write(f"Added: {user.pk}. A password is chosen with one of these codes, shown once:")
            self.stdout.write("\n".join(codes))
        elif options["what"] == "token":
            token, plain = add_service_token(tenant_named(options["tenant"]), options["name"], operator)
            self.stdout.write(f"Issued: {token.pk}. Shown once:\n{plain}")
        else:
            end_service_token(options["token_id"], operator)
            self.stdout.write("Revoked.")

    def _list(self, tenant: Tenant | None) -> None:
        for token in live_service_tokens(tenant.pk if tenant else None):
            used = f"last used {token.last_used_at:%F %H:%M} UTC" if token.last_used_at else "never used"
            self.stdout.write(f"{token.pk} {token.name}, issued {token.created_at:%F}, {used}")
