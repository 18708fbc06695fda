from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UsernameField
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from foundation.accounts.models import ApiToken, ChatGroup, Membership, User
from foundation.accounts.names import require_display_name
from foundation.admin import (
    DuplicateLinkForm,
    ModelAdmin,
    OperatorActionRefused,
    ReadOnlyAdmin,
    ReadOnlyInline,
    is_superuser,
    link_to,
    short_id,
)
from foundation.exceptions import ValidationFailed

if TYPE_CHECKING:
    _NewUserForm = AdminUserCreationForm[User]
    _UserAdmin = DjangoUserAdmin[User]
else:
    _NewUserForm, _UserAdmin = AdminUserCreationForm, DjangoUserAdmin

PERMISSION_FIELDS = ("is_staff", "is_superuser", "groups", "user_permissions")
# What changes who somebody is, or what they may do, is for superusers alone.
SUPERUSER_FIELDS = ("username", *PERMISSION_FIELDS)
_NEVER_POSTED = ("password", "content_key", "last_login", "date_joined", "id")


class NewOperatorForm(_NewUserForm):
    """The form that makes an operator's account. Users sign up on the pages."""

    class Meta(AdminUserCreationForm.Meta):
        model = User

    def save(self, commit: bool = True) -> User:
        self.instance.is_staff = True
        return super().save(commit)


class UserForm(DuplicateLinkForm):
    class Meta:
        model = User
        fields = ("username", "display_name", "time_zone", "tenant", "role", "is_active", *PERMISSION_FIELDS)
        field_classes: ClassVar = {"username": UsernameField}

    def clean_display_name(self) -> str:
        """Refuse a display name that could pass for somebody else's, as the user's own settings page does."""
        name: str = self.cleaned_data["display_name"]
        if "display_name" in self.changed_data:
            try:
                require_display_name(name, self.instance.pk)
            except ValidationFailed as error:
                raise ValidationError(error.details["display_name"]) from None
        return name


class MembershipInline(ReadOnlyInline):
    model = Membership
    fields = ("group", "is_owner", "joined_at", "left_at")
    readonly_fields = ("joined_at",)


@admin.register(User)
class UserAdmin(ModelAdmin, _UserAdmin):
    """Accounts: identity and permissions. Messages and memories have admin pages of their own.

    An account is not deleted here: erasure is a pipeline that proves itself. Nobody sets the password of a person who
    is no operator. Permissions, user names and the accounts of operators are changed by superusers alone.
    """

    form = UserForm
    add_form = NewOperatorForm
    inlines = (MembershipInline,)
    list_display = ("username", "display_name", "tenant", "role", "is_active", "is_staff", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff", "role", "tenant")
    list_select_related = ("tenant",)
    search_fields = ("=id", "username")
    date_hierarchy = "date_joined"
    ordering = ("username",)
    readonly_fields = ("id", "date_joined", "last_login", "rows", "new_password")
    fieldsets = (
        (None, {"fields": ("id", "username", "display_name", "time_zone", "new_password")}),
        (_("Organisation"), {"fields": ("tenant", "role")}),
        (_("May"), {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        (_("Dates"), {"fields": ("date_joined", "last_login")}),
        (_("Rows of this person"), {"fields": ("rows",)}),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the operator may change accounts, this one in particular."""
        is_operators = obj is not None and (obj.is_staff or obj.is_superuser)
        return super().has_change_permission(request, obj) and (is_superuser(request) or not is_operators)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        own = super().get_readonly_fields(request, obj)
        if obj is not None and obj.is_managed:
            own = (*own, "tenant", *PERMISSION_FIELDS)
        return own if is_superuser(request) else (*own, *SUPERUSER_FIELDS)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """The change form of an account.

        Raises ``OperatorActionRefused`` for a posted field that the operator may not change.
        """
        closed = _NEVER_POSTED if is_superuser(request) else (*_NEVER_POSTED, *SUPERUSER_FIELDS)
        posted = [name for name in closed if name in request.POST]
        if posted:
            raise OperatorActionRefused(*posted)
        return super().changeform_view(request, object_id, form_url, extra_context)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """Set a new password for an operator.

        Raises ``OperatorActionRefused`` for an account that is no operator's, and unless a superuser asks.
        """
        user = self.get_object(request, unquote(id))
        if user is not None and not (user.is_staff and is_superuser(request)):
            raise OperatorActionRefused("password")
        return super().user_change_password(request, id, form_url)

    @admin.display(description=_("password"))
    def new_password(self, user: User) -> str:
        """A link to set an operator's password; users set their own."""
        if not user.is_staff:
            return gettext("Set by the person alone, with their password or a recovery code.")
        address = reverse("admin:auth_user_password_change", args=[user.pk])
        return format_html('<a href="{}">{}</a>', address, gettext("Set a new one (superusers only)"))

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return self.inlines if obj else ()

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> User | None:
        """The account, with the models of its rows that the operator may list."""
        user: Any = super().get_object(request, object_id, from_field)
        if user is not None:
            user.listed_models = self._owned_models(request)
        found: User | None = user
        return found

    @admin.display(description=_("lists"))
    def rows(self, user: Any) -> SafeString:
        """Links to the admin lists of this user's rows, as far as the operator may open them."""
        lists = [(_list_address(model, user), model._meta.verbose_name_plural) for model in user.listed_models]
        return format_html_join(" · ", '<a href="{}">{}</a>', lists)

    def _owned_models(self, request: HttpRequest) -> list[type[Model]]:
        return [
            model
            for model, page in self.admin_site._registry.items()
            if any(f.attname == "user_id" for f in model._meta.concrete_fields) and page.has_view_permission(request)
        ]


def _list_address(model: type[Model], user: User) -> str:
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
    # What outlives an account names its user by a bare UUID.
    is_reference = any(field.name == "user" for field in model._meta.concrete_fields)
    return f"{reverse(name)}?{'user__id__exact' if is_reference else 'user_id'}={user.pk}"


class MemberInline(ReadOnlyInline):
    model = Membership
    fields = ("user", "is_owner", "joined_at", "left_at")
    readonly_fields = ("joined_at",)


@admin.register(ChatGroup)
class ChatGroupAdmin(ReadOnlyAdmin):
    shows_personal_text = True
    inlines = (MemberInline,)
    list_display = (short_id("id"), "name", link_to("created_by"), "created_at")
    list_select_related = ("created_by",)
    search_fields = ("=id", "memberships__user__username")
    date_hierarchy = "created_at"


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """API tokens, listed without the token or its hash; a row has no page of its own."""

    list_display = (short_id("id"), link_to("user"), "name", "created", "expiry", "last_used_at", "state")
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
