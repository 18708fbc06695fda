"""Pages of the programs that a user connected: the list, and disconnecting one."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from finclaw.connected_programs import disconnect
from finclaw.web.access import MemberView
from finclaw.web.program_scopes import SCOPE_SENTENCES
from foundation.accounts.models import ConnectedProgram
from foundation.accounts.programs import connected_programs
from foundation.exceptions import require_found


class ProgramsPage(MemberView):
    """The programs that act in the user's name."""

    def get(self, request: HttpRequest) -> HttpResponse:
        programs = [_show_program(program) for program in connected_programs(self.user)]
        return render(request, "web/programs.html", {"programs": programs})


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
        "connected_at": program.connected_at,
        "last_used_at": program.last_used_at,
    }
