"""The groups somebody is in, and the invitations that wait for their answer."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from finclaw.web.access import MemberView
from foundation.accounts.invitations import accept, decline, received_by
from foundation.accounts.models import ChatGroup, Membership
from foundation.accounts.services import groups_of, prefetched_members, remove_member
from foundation.exceptions import NotFound


class Groups(MemberView):
    """Invitations first, then the groups."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Both lists."""
        groups = [
            {"group_id": group.pk, "name": group.name, "members": _names(group)}
            for group in groups_of(self.user).prefetch_related(prefetched_members())
        ]
        invitations = [
            {
                "invitation_id": one.pk,
                "group": one.group.name,
                "inviter": one.user.name,
                "expires_at": one.expires_at,
            }
            for one in received_by(self.user)
        ]
        return render(request, "web/groups.html", {"groups": groups, "invitations": invitations})


def _names(group: ChatGroup) -> list[str]:
    members: list[Membership] = group.current_members  # type: ignore[attr-defined]  # by ``prefetched_members``
    return [one.user.name for one in members]


class InvitationAnswer(MemberView):
    """An invitation accepted or declined."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest, invitation_id: UUID, answer: str) -> HttpResponse:
        """Carry the answer out. One that waits no longer is as absent as a made-up one."""
        if answer == "accept":
            group = accept(self.user, invitation_id)
            messages.success(request, _("You are in the group “%(name)s” now.") % {"name": group.name})
        elif answer == "decline":
            decline(self.user, invitation_id)
            messages.success(request, _("The invitation is declined. Nobody is told."))
        else:
            raise NotFound()
        return redirect("web:groups")


class GroupLeave(MemberView):
    """Out of a group."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest, group_id: UUID) -> HttpResponse:
        """Leave it: what was said there stays its speaker's."""
        remove_member(self.user, group_id, self.user.pk)
        messages.success(request, _("You have left the group."))
        return redirect("web:groups")
