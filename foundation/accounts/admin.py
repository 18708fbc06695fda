from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from foundation.accounts.models import ApiToken, ChatGroup, Membership, User
from foundation.admin import ReadOnlyAdmin, ReadOnlyInline, link_to, short

if TYPE_CHECKING:
    _NewUserForm = AdminUserCreationForm[User]
    _UserForm = UserChangeForm[User]
    _UserAdmin = DjangoUserAdmin[User]
else:
    _NewUserForm, _UserForm, _UserAdmin = AdminUserCreationForm, UserChangeForm, DjangoUserAdmin


class NewUserForm(_NewUserForm):
    class Meta(AdminUserCreationForm.Meta):
        model = User


class UserForm(_UserForm):
    class Meta(UserChangeForm.Meta):
        model = User


class MembershipInline(ReadOnlyInline):
    model = Membership
    fields = ("group", "is_owner", "joined_at", "left_at")
    readonly_fields = ("joined_at",)


@admin.register(User)
class UserAdmin(_UserAdmin):
    """People: who they are and what they may do. What they said and what was learned has pages of its own.

    An account is not deleted here: erasure is a pipeline that proves itself.
    """

    form = UserForm
    add_form = NewUserForm
    inlines = (MembershipInline,)
    list_display = ("username", "display_name", "tenant", "role", "is_active", "is_staff", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff", "role", "tenant")
    list_select_related = ("tenant",)
    search_fields = ("=id", "username")
    date_hierarchy = "date_joined"
    ordering = ("username",)
    readonly_fields = ("id", "date_joined", "last_login", "rows")
    fieldsets = (
        (None, {"fields": ("id", "username", "password", "display_name", "time_zone")}),
        (_("Organisation"), {"fields": ("tenant", "role")}),
        (_("May"), {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        (_("Dates"), {"fields": ("date_joined", "last_login")}),
        (_("Rows of this person"), {"fields": ("rows",)}),
    )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return self.inlines if obj else ()

    @admin.display(description=_("lists"))
    def rows(self, user: User) -> SafeString:
        """Links to the lists of everything that belongs to this person."""
        lists = [(_list_address(model, user), model._meta.verbose_name_plural) for model in self._owned_models()]
        return format_html_join(" · ", '<a href="{}">{}</a>', lists)

    def _owned_models(self) -> list[type[Model]]:
        registered = self.admin_site._registry
        return [model for model in registered if any(f.attname == "user_id" for f in model._meta.concrete_fields)]


def _list_address(model: type[Model], user: User) -> str:
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
    # What outlives an account names its person by a bare UUID.
    is_reference = any(field.name == "user" for field in model._meta.concrete_fields)
    return f"{reverse(name)}?{'user__id__exact' if is_reference else 'user_id'}={user.pk}"


class MemberInline(ReadOnlyInline):
    model = Membership
    fields = ("user", "is_owner", "joined_at", "left_at")
    readonly_fields = ("joined_at",)


@admin.register(ChatGroup)
class ChatGroupAdmin(ReadOnlyAdmin):
    inlines = (MemberInline,)
    list_display = (short("id"), "name", link_to("created_by"), "created_at")
    list_select_related = ("created_by",)
    search_fields = ("=id", "memberships__user__username")
    date_hierarchy = "created_at"


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Which programs may sign in. Neither the token nor its hash is shown, so a row has no page of its own."""

    list_display = (short("id"), link_to("user"), "name", "created", "expiry", "last_used_at", "state")
    list_display_links = None
    list_filter = ("created", "expiry")
    list_select_related = ("user",)
    search_fields = ("=id", "user__username")
    date_hierarchy = "created"

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is None and super().has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        return super().get_queryset(request).defer("token_key")

    @admin.display(description=_("state"))
    def state(self, token: ApiToken) -> SafeString:
        return format_html("{}", _("revoked") if token.revoked_at else _("live"))
