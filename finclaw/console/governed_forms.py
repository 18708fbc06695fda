"""A page whose form for a new row does the governed act itself, so that refusals of the act are shown on the form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.http import HttpRequest

from foundation.accounts.models import User
from foundation.admin import ReadOnlyAdmin

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[Any]
else:  # Django's class takes no parameter at run time
    _ModelForm = forms.ModelForm


class GovernedForm(_ModelForm):
    """Does the act in ``clean``, by ``operator``, and takes the row that it made as its ``instance``."""

    operator: User

    def _post_clean(self) -> None:
        """Do nothing: ``clean`` has created the row already."""


class GovernedAddAdmin(ReadOnlyAdmin):
    """Rows that are only read once they are there; ``new_form``, of ``new_fields``, makes one."""

    new_form: ClassVar[type[GovernedForm]]
    new_fields: ClassVar[Sequence[str]]
    may_add: ClassVar[str]  # the permission that the act asks for

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.new_fields if obj is None else self.fields

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is not None:
            return super().get_form(request, obj, change, **kwargs)
        return type(self.new_form.__name__, (self.new_form,), {"operator": request.user})

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whether the operator may do the act."""
        return request.user.has_perm(self.may_add)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Do nothing: validating the form has made the row."""
