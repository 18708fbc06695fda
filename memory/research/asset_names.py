"""The names an asset goes by: a ticker, a company, and what it is called in Chinese and English, are one object.

A table is shipped; a name that it does not hold stands for itself alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from foundation.language import normalize
from memory.models import ObjectKind
from memory.research.types import CognitionObject

AssetNames = tuple[str, ...]
"""All names of one asset, its ticker first."""

_DATA: Final = Path(__file__).parent / "data"
_MAINLAND: Final = re.compile(r"([036][0-9]{5})\.(?:SH|SZ)")


@cache
def well_known_assets() -> tuple[AssetNames, ...]:
    """The shipped assets that a request to act is recognised by: each name lengthens the patterns of orders."""
    return _load_assets("assets.tsv")


@cache
def packaged_assets() -> tuple[AssetNames, ...]:
    """All shipped assets."""
    return (*well_known_assets(), *_load_assets("more_assets.tsv"))


def _load_assets(file: str) -> tuple[AssetNames, ...]:
    return tuple(tuple(line.split("\t")) for line in (_DATA / file).read_text("utf-8").splitlines())


def mainland_code(name: str) -> str:
    """A mainland stock code without its exchange; "" for any other name."""
    found = _MAINLAND.fullmatch(name)
    return found[1] if found else ""


def object_key(about: CognitionObject) -> tuple[str, str]:
    """Its kind and the one name that all names of the same object share, to compare by."""
    asset, rest = _split_asset(about)
    return about.kind, f"{normalize(asset[0])}{normalize(rest)}" if asset else normalize(about.name)


def names_of_object(about: CognitionObject) -> tuple[str, ...]:
    """Every name that the object may be stored under: its own, and those of its asset, of an event with its event."""
    asset, rest = _split_asset(about)
    codes = tuple(filter(None, map(mainland_code, asset)))
    return tuple(dict.fromkeys((about.name, *(f"{name}{rest}" for name in (*asset, *codes)))))


def _split_asset(about: CognitionObject) -> tuple[AssetNames, str]:
    """The asset that an object is, or an event is of, and what stands behind it in the name."""
    if about.kind == ObjectKind.THEME:
        return (), about.name
    words = about.name.split(" ")
    for count in range(len(words), 0, -1):
        asset = _assets_by_name().get(normalize(" ".join(words[:count])))
        if asset:
            return asset, "".join(f" {word}" for word in words[count:])
    return (), about.name


@cache
def _assets_by_name() -> Mapping[str, AssetNames]:
    """The shipped assets by each name, folded; a mainland code also without its exchange."""
    return {
        key: asset
        for asset in packaged_assets()
        for name in asset
        for key in (normalize(name), mainland_code(name))
        if key
    }
