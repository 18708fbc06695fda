"""What every app's admin pages share: rows to look at, links across, nothing to change by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.templatetags.admin_urls import admin_urlname
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
    _ModelForm = forms.ModelForm[Any]
else:  # Django's classes take no parameter at run time
    _ModelForm = forms.ModelForm
    ModelAdmin = admin.ModelAdmin
    TabularInline = admin.TabularInline

_SHORT = 8  # characters of an id


class ReadOnlyAdmin(ModelAdmin):
    """Operators look; what they may do beyond that is a governed action of the subclass."""

    list_per_page = 50
    show_full_result_count = False  # a count over everybody's rows for one line of the list

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class RowForm(_ModelForm):
    """A form that, where it is refused because such a row exists, leads to that row."""

    def add_error(self, field: str | None, error: Any) -> None:
        for leaf in _leaves(error):
            twin = self._twin(leaf)
            if twin is not None:
                leaf.message, leaf.params = format_html("{} {}", leaf.messages[0], link_to_row(twin)), None
        super().add_error(field, error)

    def _twin(self, error: ValidationError) -> Model | None:
        """The row that holds what this one may not hold as well."""
        if error.code not in {"unique", "unique_together"} or not error.params:
            return None
        same = {name: getattr(self.instance, name) for name in error.params["unique_check"]}
        found: Model | None = error.params["model_class"]._default_manager.filter(**same).first()
        return found


def _leaves(error: Any) -> Iterator[ValidationError]:
    if isinstance(error, ValidationError):
        yield from chain(*error.error_dict.values()) if hasattr(error, "error_dict") else error.error_list


class ReadOnlyInline(TabularInline):
    """Rows of another table under their parent, to look at."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def short(field: str) -> Callable[[Model], str]:
    """A list column with the end of the id in ``field``, the whole as its title.

    The end, since ids begin with the time (UUIDv7): rows made in the same minute begin alike.
    """

    @admin.display(description=field.replace("_", " "), ordering=field)
    def column(row: Model) -> str:
        return shortened(getattr(row, field))

    column.__name__ = field
    return column


def shortened(key: object) -> str:
    """The end of an id, the whole as its title; a dash for none."""
    return format_html('<span title="{}">…{}</span>', key, str(key)[-_SHORT:]) if key else "–"


def link_to(field: str) -> Callable[[Model], str]:
    """A list column that leads to the page of the row which ``field`` refers to."""

    @admin.display(description=field.replace("_", " "), ordering=field)
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


@dataclass(frozen=True)
class Choice:
    """One thing among several that a governed action may do; ``effects`` say what would happen."""

    value: str
    label: str
    effects: Sequence[str]


@dataclass(frozen=True)
class Question:
    """What an operator is asked before a governed action. ``rows`` are what it is about, each with a note or "".

    ``stamp`` comes back with the answer, to tell whether what was read still holds.
    """

    title: str
    sentences: Sequence[str]
    action: str
    button: str
    rows: Sequence[tuple[Model, str]]
    choices: Sequence[Choice] = ()
    stamp: str = ""


def is_confirmed(request: HttpRequest) -> bool:
    """Whether the question of a governed action was answered; a bare POST of the action changes nothing."""
    return request.POST.get("confirmed") == "yes"


def ask(page: ModelAdmin, request: HttpRequest, question: Question) -> HttpResponseBase:
    """The question's own page. Its answer posts the action again, confirmed."""
    context: dict[str, Any] = page.admin_site.each_context(request) | {
        "title": question.title,
        "opts": page.opts,
        "question": question,
        "action_checkbox_name": ACTION_CHECKBOX_NAME,
    }
    return TemplateResponse(request, "admin/confirmation.html", context)


def in_words(span: timedelta | None) -> str:
    """A span as an operator reads it, in its largest fitting unit; empty for None."""
    if span is None:
        return ""
    seconds = span.total_seconds()
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.1f} s"
