"""Every address of the operators' site, as its URL list has it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.contrib import admin
from django.db.models import Model
from django.urls import URLResolver, get_resolver

PLACES = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>[^)]*\)")
Rows = dict[type[Model], list[str]]


def _site() -> URLResolver:
    resolvers = [one for one in get_resolver().url_patterns if isinstance(one, URLResolver)]
    return next(one for one in resolvers if one.namespace == admin.site.name)


def _open_addresses(resolver: URLResolver, prefix: str = "/") -> Iterator[str]:
    """Every address below, with its places still open."""
    prefix += str(resolver.pattern)
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _open_addresses(pattern, prefix)
        else:
            yield prefix + str(pattern.pattern).removeprefix("^").removesuffix("$").removesuffix(r"\Z")


def model_at(address: str) -> type[Model] | None:
    label = ".".join(address.strip("/").split("/")[1:3])
    return next((model for model in admin.site._registry if model._meta.label_lower == label), None)


def addresses(rows: Rows) -> Iterator[str]:
    for address in _open_addresses(_site()):
        model = model_at(address)
        for key in rows[model] if model and ("object_id" in address or "<id>" in address) else ["1"]:
            yield _filled(address, {"object_id": key, "id": key, "app_label": "consent", "url": "no/such/"})


def _filled(address: str, values: dict[str, str]) -> str:
    """Raises ``KeyError`` for a place nobody thought of."""
    return PLACES.sub(lambda place: values[place[1] or place[2]], address)
