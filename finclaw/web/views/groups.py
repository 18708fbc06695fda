"""Pages of groups: create, invite, join by invitation, leave."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.services import screen_text
from finclaw.statuses import STATUS_OF
from finclaw.web.access import MemberView
from finclaw.web.forms.accounts import add_refusal
from finclaw.web.forms.groups import GroupForm, GroupInviteForm
from finclaw.web.groups import show_groups, show_received
from foundation.accounts.group_links import invitation_by_code, invite_by_link, join_by_code
from foundation.accounts.groups import create_group, group_of, is_member, members_of, owned_group, remove_member
from foundation.accounts.invitations import (
    accept_invitation,
    decline_invitation,
    invite_by_username,
    withdraw_invitation,
)
from foundation.exceptions import FinClawError, NotFound, ValidationFailed
from memory.services.sessions import start_session


class GroupsPageBase(MemberView):
    """Renders the groups page, for each view whose form is on it."""

    def page(
        self,
        *,
        group_form: forms.Form | None = None,
        invite_form: forms.Form | None = None,
        inviting: UUID | None = None,
        status: int = 200,
    ) -> HttpResponse:
        """Everything ``web/groups.html`` shows; ``inviting`` is the group that ``invite_form`` was sent for."""
        shown = {
            "groups": show_groups(self.request, self.user),
            "invitations": show_received(self.user),
            "group_form": group_form or GroupForm(auto_id="group_%s"),
            "invite_form": invite_form or GroupInviteForm(),
            "inviting": inviting,
        }
        return render(self.request, "web/groups.html", shown, status=status)


class GroupsPage(GroupsPageBase):
    """Invitations received, the user's groups, and the form for another."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page()

    def post(self, request: HttpRequest) -> HttpResponse:
        """Create a group."""
        form = GroupForm(request.POST, auto_id="group_%s")
        if not form.is_valid():
            return self.page(group_form=form, status=400)
        try:
            name = screen_text("group_name", form.cleaned_data["name"]).text
        except SensitiveInput as error:
            return self.page(group_form=_refused_form(GroupForm(), "name", error), status=STATUS_OF[error.code])
        create_group(self.user, name)
        return self.redirect_saying(
            _("The group “%(name)s” is there. Now ask others into it.") % {"name": name}, "web:groups"
        )


class GroupInvite(GroupsPageBase):
    """Invites somebody as the group's owner: by user name, or by a link."""

    def post(self, request: HttpRequest, group_id: UUID) -> HttpResponse:
        """Send the invitation. The answer does not tell whether the user name exists."""
        if "link" in request.POST:
            invite_by_link(self.user, group_id)
            return self.redirect_saying(
                _("The link is below. It lets in one person: send it to nobody else."), "web:groups"
            )
        owned_group(self.user, group_id)
        form = GroupInviteForm(request.POST)
        if not form.is_valid():
            return self.page(invite_form=form, inviting=group_id, status=400)
        username = form.cleaned_data["username"]
        try:
            invite_by_username(self.user, group_id, screen_text("username", username).text)
        except ValidationFailed as refusal:
            add_refusal(form, refusal)
            return self.page(invite_form=form, inviting=group_id, status=400)
        except SensitiveInput as error:
            refused = _refused_form(GroupInviteForm(), "username", error)
            return self.page(invite_form=refused, inviting=group_id, status=STATUS_OF[error.code])
        told = _("Invitation sent. If there is a user called “%(name)s”, they will see it under Settings, Groups.")
        return self.redirect_saying(told % {"name": username}, "web:groups")


def _refused_form(form: forms.Form, field: str, error: FinClawError) -> forms.Form:
    """An empty form with the reason why the input was refused; the input itself is not shown again."""
    form.is_bound, form.cleaned_data = True, {}
    form.errors.clear()
    form.add_error(field, error.message)
    return form


class InvitationWithdraw(MemberView):
    """Withdraws an invitation."""

    def post(self, request: HttpRequest, group_id: UUID, invitation_id: UUID) -> HttpResponse:
        """Withdraw the invitation, which is invalid from then on."""
        withdraw_invitation(self.user, group_id, invitation_id)
        return self.redirect_saying(_("The invitation is taken back. It lets nobody in any more."), "web:groups")


class InvitationAnswer(MemberView):
    """Accepts or declines an invitation."""

    def post(self, request: HttpRequest, invitation_id: UUID, answer: str) -> HttpResponse:
        """Carry out the answer. An invitation that no longer waits is reported as not found."""
        if answer == "accept":
            group = accept_invitation(self.user, invitation_id)
            messages.success(request, _("You are in the group “%(name)s” now.") % {"name": group.name})
        elif answer == "decline":
            decline_invitation(self.user, invitation_id)
            messages.success(request, _("The invitation is declined. Nobody is told."))
        else:
            raise NotFound()
        return redirect("web:groups")


class GroupJoin(MemberView):
    """The page behind an invitation link: which group, who invites, and the choice."""

    def get(self, request: HttpRequest, code: str) -> HttpResponse:
        """Ask; opening a link joins nothing."""
        invitation = invitation_by_code(code)
        shown = {
            "code": code,
            "group": invitation.group.name,
            "inviter": invitation.user.name,
            "expires_at": invitation.expires_at,
            "is_member": is_member(self.user.pk, invitation.group_id),
        }
        return render(request, "web/group_join.html", shown)

    def post(self, request: HttpRequest, code: str) -> HttpResponse:
        """Join the group, which uses up the link."""
        group = join_by_code(self.user, code)
        return self.redirect_saying(_("You are in the group “%(name)s” now.") % {"name": group.name}, "web:groups")


class GroupChat(MemberView):
    """Opens a chat that a group's members share."""

    def post(self, request: HttpRequest, group_id: UUID) -> HttpResponse:
        session = start_session(self.permit, self.user, group_id=group_id)
        return redirect("web:chat_session", session.pk)


class GroupLeave(MemberView):
    """Leaves a group."""

    def get(self, request: HttpRequest, group_id: UUID) -> HttpResponse:
        """Ask, saying what happens to what the user said there."""
        group = group_of(self.user, group_id)
        members = members_of(group)
        others = members.exclude(user=self.user)
        owned = members.filter(user=self.user, is_owner=True).exists()
        heir = others.first() if owned and not others.filter(is_owner=True).exists() else None
        shown = {
            "group_id": group_id,
            "group": group.name,
            "is_last": not others.exists(),
            "heir": heir.user.name if heir else "",
        }
        return render(request, "web/group_leave.html", shown)

    def post(self, request: HttpRequest, group_id: UUID) -> HttpResponse:
        """Leave: what members said in the group still belongs to them."""
        remove_member(self.user, group_id, self.user.pk)
        return self.redirect_saying(
            _("You have left the group. What I learned from your own words there stays yours."), "web:groups"
        )
