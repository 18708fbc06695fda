"""Pages of the programs that a user connected: the list, what one is kept from, and disconnecting it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from finclaw.connected_programs import disconnect, withhold
from finclaw.web.access import MemberView
from finclaw.web.forms.programs import ProgramKindsForm
from finclaw.web.program_scopes import SCOPE_SENTENCES
from foundation.accounts.models import ApiToken, ConnectedProgram
from foundation.accounts.programs import connected_programs, credential_of
from foundation.exceptions import require_found
from memory.kinds import withheld_names


class ProgramsPage(MemberView):
    """The programs that act in the user's name."""

    def get(self, request: HttpRequest) -> HttpResponse:
        programs = [_show_program(program) for program in connected_programs(self.user)]
        return render(request, "web/programs.html", {"programs": programs})


class ProgramKinds(MemberView):
    """Which kinds of memory a connected program, or whoever holds a key, is kept from."""

    def get(self, request: HttpRequest, program_id: UUID) -> HttpResponse:
        program = credential_of(self.user, program_id)
        return self._render_page(program, ProgramKindsForm(initial={"withheld_kinds": program.withheld_kinds}))

    def post(self, request: HttpRequest, program_id: UUID) -> HttpResponse:
        """Keep it from exactly the kinds that are ticked."""
        program = credential_of(self.user, program_id)
        form = ProgramKindsForm(request.POST)
        if not form.is_valid():
            return self._render_page(program, form)
        withhold(self.user, program, form.cleaned_data["withheld_kinds"])
        return self.redirect_saying(_("Saved. It holds from the program's next request on."), _list_of(program))

    def _render_page(self, program: ConnectedProgram | ApiToken, form: ProgramKindsForm) -> HttpResponse:
        context = {"name": program.name, "form": form, "back": reverse(_list_of(program))}
        return render(self.request, "web/program_kinds.html", context, status=400 if form.errors else 200)


def _list_of(program: ConnectedProgram | ApiToken) -> str:
    """The name of the page that lists it."""
    return "web:programs" if isinstance(program, ConnectedProgram) else "web:tokens"


class ProgramDisconnect(MemberView):
    """Disconnects a program, after it was confirmed: the program has to ask anew."""

    def get(self, request: HttpRequest, program_id: UUID) -> HttpResponse:
        """Say what ends and what stays."""
        program = require_found(connected_programs(self.user).filter(pk=program_id).first())
        return render(request, "web/program_disconnect.html", {"program": _show_program(program)})

    def post(self, request: HttpRequest, program_id: UUID) -> HttpResponse:
        """Disconnect it; one that is disconnected already stays so."""
        if disconnect(self.user.pk, program_id, actor_id=self.user.pk):
            return self.redirect_saying(_("The program is disconnected."), "web:programs")
        return self.redirect_saying(_("It was disconnected already."), "web:programs", level=messages.INFO)


def _show_program(program: ConnectedProgram) -> dict[str, Any]:
    return {
        "program_id": program.pk,
        "name": program.name,
        "scopes": [SCOPE_SENTENCES[scope] for scope in program.scopes],
        "withheld": withheld_names(program.withheld_kinds),
        "connected_at": program.connected_at,
        "last_used_at": program.last_used_at,
    }
