"""Resolves the names of an asset: its ticker, its company and its Chinese and English names are one object.

The tables of names are shipped with the product; a name in none of them stands for itself alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from foundation.language import Language, cjk_share, normalize
from memory.models import ObjectKind
from memory.research.types import CognitionObject

AssetNames = tuple[str, ...]
"""All names of one asset, its ticker first."""

_DATA: Final = Path(__file__).parent / "data"
_CODE: Final = re.compile(r"[0-9]{4,6}\.[A-Z]{1,2}")
_MAINLAND: Final = re.compile(r"([036][0-9]{5})\.(?:SH|SZ)")


@cache
def well_known_assets() -> tuple[AssetNames, ...]:
    """The few shipped assets by which requests to act are recognised: each name lengthens the patterns of orders."""
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
    """The object's kind and one name that is the same for all its names, for comparison."""
    asset, rest = _split_asset(about)
    return about.kind, f"{normalize(asset[0])}{normalize(rest)}" if asset else normalize(about.name)


def names_of_object(about: CognitionObject) -> tuple[str, ...]:
    """Every name that the object may be stored under: its own, and those of its asset, each with an event's words."""
    asset, rest = _split_asset(about)
    codes = tuple(filter(None, map(mainland_code, asset)))
    return tuple(dict.fromkeys((about.name, *(f"{name}{rest}" for name in (*asset, *codes)))))


def object_id(about: CognitionObject) -> str:
    """The id that all names of the same object share: ``asset:PLTR``, ``event:PLTR earnings``, ``theme:copper``."""
    asset, rest = _split_asset(about)
    return f"{about.kind}:{asset[0]}{normalize(rest)}" if asset else f"{about.kind}:{normalize(about.name)}"


def canonical_name(about: CognitionObject, language: Language, more: Collection[frozenset[str]] = ()) -> str:
    """The one name that an object is shown under in a language, whatever it was called.

    ``more`` are the organisation's groups of names. A name in none of the tables is returned unchanged.
    """
    asset, rest = _split_asset(about)
    if asset:
        return f"{_shown_name(asset, language)}{rest}"
    group = _group_of(about, more)
    return _shown_group(group, language) if group else about.name


def _shown_name(asset: AssetNames, language: Language) -> str:
    """The company's name in the language, else its ticker; in Chinese its English name comes before the ticker."""
    ticker, *others = asset
    english = [name for name in others if not cjk_share(name) and not _CODE.fullmatch(name)]
    called = ticker if not ticker.isupper() else next(iter(english), ticker)
    return next((name for name in others if cjk_share(name)), called) if language == "zh" else called


def _group_of(about: CognitionObject, more: Collection[frozenset[str]]) -> frozenset[str]:
    """The organisation's group that an asset is in; empty for none."""
    if about.kind != ObjectKind.ASSET:
        return frozenset()
    key = normalize(about.name)
    return next((group for group in more if any(normalize(name) == key for name in group)), frozenset())


def _shown_group(group: frozenset[str], language: Language) -> str:
    """The name of a shipped asset that the group names too, else the longest of its names in the language."""
    shipped = next(filter(None, (_assets_by_name().get(normalize(name)) for name in sorted(group))), ())
    if shipped:
        return _shown_name(shipped, language)
    fits = [name for name in group if bool(cjk_share(name)) == (language == "zh")]
    return max(fits or group, key=lambda name: (len(name), name))


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
