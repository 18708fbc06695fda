"""Makes the names that Django derives from Python names of apps, models and fields translatable.

The admin shows such names as labels. Migrations do not contain them, only what a model itself declares.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import AppConfig, apps
from django.conf import settings
from django.db.models import Model
from django.utils import translation
from django.utils.translation import npgettext_lazy, pgettext_lazy

PACKAGES = ("consent", "drift", "finclaw", "foundation", "knowledge", "media", "memory", "personas")
CONTEXT = "table"  # tells these names from the same words on pages


def translate_automatic_names() -> None:
    """Let every automatic name follow the language of the page."""
    for model in _own_models():
        for field in _fields_named_automatically(model):
            field.verbose_name = pgettext_lazy(CONTEXT, field.verbose_name)
        options = model._meta
        if _is_automatic(model, "verbose_name_plural"):
            singular = _in_english(options.verbose_name)
            options.verbose_name_plural = npgettext_lazy(CONTEXT, singular, f"{singular}s", 2)
        if _is_automatic(model, "verbose_name"):
            options.verbose_name = pgettext_lazy(CONTEXT, str(options.verbose_name))
    for app in _apps_named_by_us():
        app.verbose_name = pgettext_lazy(CONTEXT, str(app.verbose_name))


def automatic_names() -> Iterator[str | tuple[str, str]]:
    """The automatic names as entries of a catalogue: of apps and fields, and of models with their plural."""
    yield from (_in_english(app.verbose_name) for app in _apps_named_by_us())
    for model in _own_models():
        yield from (_in_english(field.verbose_name) for field in _fields_named_automatically(model))
        name = _in_english(model._meta.verbose_name)
        if _is_automatic(model, "verbose_name_plural"):
            yield name, f"{name}s"
        elif _is_automatic(model, "verbose_name"):
            yield name


def _own_apps() -> Iterator[AppConfig]:
    return (app for app in apps.get_app_configs() if app.name.partition(".")[0] in PACKAGES)


def _apps_named_by_us() -> Iterator[AppConfig]:
    """Our own apps, and django-q2's, whose name is the ``label`` in ``Q_CLUSTER``."""
    yield from _own_apps()
    yield apps.get_app_config("django_q")


def _own_models() -> Iterator[type[Model]]:
    return (model for app in _own_apps() for model in app.get_models(include_auto_created=True))


def _fields_named_automatically(model: type[Model]) -> Iterator[Any]:
    fields = (*model._meta.local_fields, *model._meta.local_many_to_many)
    return (field for field in fields if field._verbose_name is None)  # type: ignore[attr-defined]  # as it was declared


def _is_automatic(model: type[Model], option: str) -> bool:
    return option not in model._meta.original_attrs


def _in_english(name: Any) -> str:
    with translation.override(settings.LANGUAGE_CODE):
        return str(name)
