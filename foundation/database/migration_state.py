"""Migrate without building every model anew for each operation.

Django's state of the models during a migration builds, after each operation, all models that are related to the changed
one in any way: here nearly all of them, through the user, some two hundred times. To change the tables it is enough to
build the model itself and those that refer to it. Code of a migration still sees all models built anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.db.migrations.state import ProjectState

_Key = tuple[str, str]
_FIND: Final = "_find_reload_model"
"""Django's method that names the models to build anew."""


@contextmanager
def building_few_models() -> Iterator[None]:
    """Build after each operation the changed model and those that refer to it; all, where Django would not delay it."""
    find_related = getattr(ProjectState, _FIND)

    def find_referring(state: Any, app_label: str, model_name: str, delay: bool = False) -> set[_Key]:
        is_new = model_name not in state.apps.all_models[app_label]
        if not (delay or is_new):
            found: set[_Key] = find_related(state, app_label, model_name, delay)
            return found
        state.is_delayed = True  # what runs Python builds all models
        return _referring(state, (app_label, model_name))

    setattr(ProjectState, _FIND, find_referring)
    try:
        yield
    finally:
        setattr(ProjectState, _FIND, find_related)


def _referring(state: ProjectState, changed: _Key) -> set[_Key]:
    """The keys of the changed model, and of all that refer to it, directly or through others."""
    found: set[_Key] = set()
    waiting = [changed]
    while waiting:
        key = waiting.pop()
        if key not in found:
            found.add(key)
            waiting += [*state.relations.get(key, ()), *_heirs(state, key)]
    return found


def _heirs(state: ProjectState, key: _Key) -> Iterator[_Key]:
    """Models that inherit from it, proxies among them."""
    name = ".".join(key)
    return (heir for heir, model in state.models.items() if name in map(_base_name, model.bases))


def _base_name(base: Any) -> str:
    return base.lower() if isinstance(base, str) else ""
