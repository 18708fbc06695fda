"""Whether an error that the API answered stands among those that the operation declares."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from finclaw.api.schema import ERROR_CODES


def declared_codes(method: str, path: str) -> set[str] | None:
    """The codes that the operation at this path declares; None where there is no operation."""
    for pattern, operations in _operations():
        if pattern.fullmatch(path):
            return operations.get(method.lower())
    return None


@cache
def _operations() -> list[tuple[re.Pattern[str], dict[str, set[str]]]]:
    """Each path of the document, those without parameters first, with the codes by method."""
    generator: Any = SchemaGenerator
    paths = generator().get_schema(request=None, public=True)["paths"]
    return [
        (
            re.compile(re.sub(r"{\w+}", "[^/]+", re.escape(path).replace(r"\{", "{").replace(r"\}", "}"))),
            {method: set(operation[ERROR_CODES]) for method, operation in methods.items()},
        )
        for path, methods in sorted(paths.items(), key=lambda found: found[0].count("{"))
    ]
