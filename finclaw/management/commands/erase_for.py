"""Erase for somebody who asked for it: one operator asks, another approves."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.management import BaseCommand, CommandError

from consent.models import ErasureRequest, ErasureScope, Sources
from finclaw.erasure_requests import (
    OFFERED_SCOPES,
    ErasureWish,
    approve_request,
    ask_for_erasure,
    decline_request,
    pending_requests,
    preview_request,
    wish_of,
)
from finclaw.operator_sign_in import confirm_by_typing, identify_operator
from foundation.accounts.command_arguments import named_user
from foundation.accounts.models import User
from foundation.exceptions import FinClawError


class Command(BaseCommand):
    """Ask for an erasure that a person asked an operator for; or list, approve or decline what was asked for.

    Whoever acts gives the password and the code that open the operators' pages: two people stay two on a server, too.
    """

    help = (
        "Erase data on behalf of a user who asked for it. One operator requests it; another approves it with "
        "--approve ID."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "user", nargs="?", metavar="NAME", help="the user name of the user whose data is to be erased"
        )
        parser.add_argument("--scope", choices=[scope.value for scope in OFFERED_SCOPES], help="what to erase")
        parser.add_argument("--target", type=UUID, help="the id of the row, for scopes that name one")
        parser.add_argument(
            "--keep-messages", action="store_true", help="keep the messages that the data was learned from"
        )
        parser.add_argument("--reference", help="the number of the ticket or letter with the request")
        parser.add_argument(
            "--operator", metavar="NAME", help="your user name, as the operator who requests or decides"
        )
        decision = parser.add_mutually_exclusive_group()
        decision.add_argument(
            "--pending", action="store_true", help="list the requests that wait for a second operator"
        )
        decision.add_argument("--approve", type=UUID, metavar="ID", help="approve a request and erase")
        decision.add_argument("--decline", type=UUID, metavar="ID", help="decline a request")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._run(options)
        except FinClawError as refusal:
            raise CommandError(refusal.message) from None
        except ValidationError as refusal:
            raise CommandError(" ".join(refusal.messages)) from None

    def _run(self, options: dict[str, Any]) -> None:
        if options["pending"]:
            for waiting in pending_requests():
                self._describe(waiting)
        elif options["approve"]:
            self._approve(options["approve"], identify_operator(options["operator"]))
        elif options["decline"]:
            decline_request(options["decline"], identify_operator(options["operator"]))
            self.stdout.write("Declined. Nothing is erased.")
        else:
            self._ask(options)

    def _ask(self, options: dict[str, Any]) -> None:
        if not (options["user"] and options["scope"] and options["reference"]):
            raise CommandError("Name the person, --scope, --reference and --operator; or --pending, --approve.")
        operator = identify_operator(options["operator"])
        wish = _wish(options)
        self._preview(wish)
        confirm_by_typing(wish.person.username)
        request = ask_for_erasure(wish, operator)
        self.stdout.write(f"Asked. Somebody else approves it until {request.expires_at:%Y-%m-%d %H:%M} UTC:")
        self.stdout.write(f"manage.py erase_for --approve {request.pk} --operator NAME")

    def _approve(self, request_id: UUID, operator: User) -> None:
        request = next((waiting for waiting in pending_requests() if waiting.pk == request_id), None)
        if request is None:
            raise CommandError("No request of that id waits.")
        wish = wish_of(request)
        self._describe(request)
        self._preview(wish)
        confirm_by_typing(wish.person.username)
        tombstone = approve_request(request_id, operator)
        self.stdout.write(f"Approved. It is being erased, and invisible from now on: erasure {tombstone.pk}.")

    def _describe(self, request: ErasureRequest) -> None:
        person = User.objects.filter(pk=request.user_id).first()
        name = person.username if person else request.user_id
        self.stdout.write(
            f"{request.pk} {name} {request.scope} {request.reference} until {request.expires_at:%Y-%m-%d}"
        )

    def _preview(self, wish: ErasureWish) -> None:
        self.stdout.write(f"What goes of {wish.person.username} ({wish.scope.label}):")
        for line in preview_request(wish).lines or ("Nothing is stored of it now.",):
            self.stdout.write(f"- {line}")


def _wish(options: dict[str, Any]) -> ErasureWish:
    person = named_user(options["user"])
    sources = Sources.KEEP if options["keep_messages"] else Sources.REDACT
    return ErasureWish(person, ErasureScope(options["scope"]), options["target"], sources, options["reference"])
