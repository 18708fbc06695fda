"""Base classes of the admin pages: read-only lists, and links between rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import date, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.templatetags.admin_urls import admin_urlname
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ERROR_FLAG, ChangeList
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Model
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext, pgettext_lazy

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
    _ModelForm = forms.ModelForm[Any]
else:  # Django's classes take no parameter at run time
    _ModelForm = forms.ModelForm
    _ModelAdmin = admin.ModelAdmin
    TabularInline = admin.TabularInline

_SHORT = 8  # characters of an id
# What Django's own filters append to the name of the field they filter by.
_FILTER_SUFFIXES = ("", "__exact", "__isnull", "__isempty", "__gte", "__lt")
_DATE_PARTS = ("year", "month", "day")


class TolerantChangeList(ChangeList):
    """A change list that treats a date outside Python's range like any other invalid filter."""

    def get_filters(self, request: HttpRequest) -> Any:
        """Django's filters. Raises ``IncorrectLookupParameters``, which leads to the unfiltered list."""
        try:
            return super().get_filters(request)
        except (ValueError, OverflowError) as error:
            raise IncorrectLookupParameters(error) from error


class OperatorActionRefused(PermissionDenied):
    """An act refused to an operator; ``what`` names the fields or actions, for the audit log."""

    def __init__(self, *what: str) -> None:
        super().__init__(", ".join(what))
        self.what = what


class ModelAdmin(_ModelAdmin):
    """Base of every admin page: a list can be filtered only by what it offers.

    ``shows_personal_text`` says that a page of it shows what people wrote or what was learned of them: opening one
    is recorded in the audit log.
    """

    shows_personal_text = False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Whether the address may filter by ``lookup``: a listed filter, a part of a date, or the person of a row.

        Django allows every column of the table, and with it guessing at a hidden one, letter by letter.
        """
        return lookup in self._listed_lookups(request)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return TolerantChangeList

    def rows_opened_by(self, changes: ChangeList) -> Collection[Model]:
        """The rows of which a list shows as much as their own page: each is recorded as opened."""
        return ()

    def _listed_lookups(self, request: HttpRequest) -> set[str]:
        owner = [name for name in ("user_id", "user__id__exact") if self._has_field(name.split("__")[0])]
        dates = [f"{self.date_hierarchy}__{part}" for part in _DATE_PARTS] if self.date_hierarchy else []
        return {*owner, *dates, *chain.from_iterable(map(self._filter_lookups, self.get_list_filter(request)))}

    def _has_field(self, name: str) -> bool:
        return any(name in {field.name, field.attname} for field in self.opts.concrete_fields)

    def _filter_lookups(self, listed: Any) -> list[str]:
        name = listed[0] if isinstance(listed, (list, tuple)) else listed
        if not isinstance(name, str):  # a filter of our own, which reads its parameter itself
            return [name.parameter_name]
        related = get_fields_from_path(self.model, name)[-1].related_model
        key = f"{name}__{related._meta.pk.name}__exact" if related else f"{name}__exact"
        return [key, *(name + suffix for suffix in _FILTER_SUFFIXES)]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """The change list. An address with an impossible filter leads to the whole list, as Django's own do.

        Raises ``OperatorActionRefused`` for an action that this page does not offer to the operator.
        """
        if any(
            "\0" in value for _name, values in request.GET.lists() for value in values
        ):  # PostgreSQL has no such text
            return HttpResponseRedirect(f"{request.path}?{ERROR_FLAG}=1")
        asked = set(request.POST.getlist("action")) - {"", *self.get_actions(request)}
        if asked:
            raise OperatorActionRefused(*sorted(asked & {"delete_selected", *map(str, self.actions or ())}))
        return super().changelist_view(request, extra_context)


class ReadOnlyAdmin(ModelAdmin):
    """A page that operators only read; whatever changes rows is a governed action of the subclass."""

    list_per_page = 50
    show_full_result_count = False  # a count over everybody's rows for one line of the list

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def is_superuser(request: HttpRequest) -> bool:
    """Whether the request comes from an active superuser."""
    return bool(request.user.is_active and request.user.is_superuser)


class DuplicateLinkForm(_ModelForm):
    """A form whose "already exists" error links to the existing row."""

    def add_error(self, field: str | None, error: Any) -> None:
        for leaf in _single_errors(error):
            twin = self._twin(leaf)
            if twin is not None:
                leaf.message, leaf.params = format_html("{} {}", leaf.messages[0], link_to_row(twin)), None
        super().add_error(field, error)

    def _twin(self, error: ValidationError) -> Model | None:
        """The existing row that the unique constraint protects."""
        if error.code not in {"unique", "unique_together"} or not error.params:
            return None
        same = {name: getattr(self.instance, name) for name in error.params["unique_check"]}
        found: Model | None = error.params["model_class"]._default_manager.filter(**same).first()
        return found


def _single_errors(error: Any) -> Iterator[ValidationError]:
    if isinstance(error, ValidationError):
        yield from chain(*error.error_dict.values()) if hasattr(error, "error_dict") else error.error_list


class ReadOnlyInline(TabularInline):
    """Read-only rows of another table under their parent."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def short_id(field: str) -> Callable[[Model], str]:
    """A list column with the end of the id in ``field``, the whole as its title.

    The end, since ids begin with the time (UUIDv7): rows made in the same minute begin alike.
    """

    @admin.display(description=pgettext_lazy("table", field.replace("_", " ")), ordering=field)
    def column(row: Model) -> str:
        return shortened_id(getattr(row, field))

    column.__name__ = field
    return column


def shortened_id(key: object) -> str:
    """The end of an id, the whole as its title; a dash for none."""
    return format_html('<span title="{}">…{}</span>', key, str(key)[-_SHORT:]) if key else "–"


def link_to(field: str) -> Callable[[Model], str]:
    """A list column that leads to the page of the row which ``field`` refers to."""

    @admin.display(description=pgettext_lazy("table", field.replace("_", " ")), ordering=field)
    def column(row: Model) -> str:
        target = getattr(row, field)
        return link_to_row(target) if target else "–"

    column.__name__ = field
    return column


def link_to_row(row: Model) -> SafeString:
    """A link to the admin page of ``row``, which must have one."""
    address = reverse(admin_urlname(row._meta, "change"), args=[row.pk])  # type: ignore[arg-type]
    name, key = str(row), str(row.pk)
    return format_html('<a href="{}" title="{}">{}</a>', address, name, name.replace(key, f"…{key[-_SHORT:]}"))


def duration_in_words(span: timedelta | None) -> str:
    """A duration in its largest fitting unit, such as "3 h"; "" for None."""
    if span is None:
        return ""
    seconds = span.total_seconds()
    for words, size in ((_("%s d"), 86_400), (_("%s h"), 3_600), (_("%s min"), 60)):
        if seconds >= size:
            return words % f"{seconds / size:.0f}"
    return _("%s s") % f"{seconds:.1f}"


def short_day(at: date) -> str:
    """A day under the bars of a chart, as 02 Mar."""
    return date_format(at, pgettext("date format", "d M"))
