"""Checks the variants of an experiment: one of them changes nothing, their weights are the whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _

from consent.experiment_assignment import CONTROL, PER_CENT, ExperimentVariant
from consent.models import Experiment
from foundation.exceptions import ValidationFailed

MOST_VARIANTS: Final = 5
MOST_WEIGHTS: Final = 20
MOST_SLOT_TOKENS: Final = 20_000
RECALL_THRESHOLDS: Final = frozenset({"cosine", "cosine_share", "words_share", "score_share"})
"""The thresholds that may vary, by the names under which receipts store them."""
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,19}")
_VERSION_LENGTH: Final = 40
_FIELDS: Final = {"name", "weight", "parameters"}


def read_variants(given: object, dimension: Experiment.Dimension) -> tuple[ExperimentVariant, ...]:
    """The variants as an operator wrote them: objects with ``name``, ``weight`` in per cent and ``parameters``.

    Raises ``ValidationFailed`` with a sentence on the first thing that is wrong.
    """
    if not isinstance(given, list) or not 2 <= len(given) <= MOST_VARIANTS:
        raise ValidationFailed(_("An experiment has two to five variants."))
    variants = tuple(_read_variant(one, dimension) for one in given)
    names = [variant.name for variant in variants]
    if len(set(names)) < len(names):
        raise ValidationFailed(_("Each variant has a name of its own."))
    if sum(variant.weight for variant in variants) != PER_CENT:
        raise ValidationFailed(_("The weights of the variants add up to 100."))
    _require_one_control(variants)
    return variants


def as_json(variants: Sequence[ExperimentVariant]) -> list[dict[str, Any]]:
    """The variants as the column holds them."""
    return [
        {"name": variant.name, "weight": variant.weight, "parameters": dict(variant.parameters)} for variant in variants
    ]


def _read_variant(given: object, dimension: Experiment.Dimension) -> ExperimentVariant:
    if not isinstance(given, dict) or not set(given) <= _FIELDS or not {"name", "weight"} <= set(given):
        raise ValidationFailed(_("A variant has a name, a weight and parameters, and nothing else."))
    name, weight, parameters = given["name"], given["weight"], given.get("parameters", {})
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValidationFailed(_("The name of a variant is up to 20 small letters, digits and underscores."))
    if not _is_whole(weight) or not 1 <= weight < PER_CENT:
        raise ValidationFailed(_("The weight of a variant is a whole number from 1 to 99."))
    if not isinstance(parameters, dict):
        raise ValidationFailed(_("The parameters of a variant are an object."))
    known = _PARAMETERS[dimension]
    for key, value in parameters.items():
        if key not in known or not known[key](value):
            raise ValidationFailed(
                _("A variant of this kind has no such parameter, or not with such a value."), {"parameter": [key]}
            )
    return ExperimentVariant(name, weight, parameters)


def _require_one_control(variants: Sequence[ExperimentVariant]) -> None:
    unchanged = [variant.name for variant in variants if not variant.parameters]
    if unchanged != [CONTROL]:
        raise ValidationFailed(_("One variant is called “control” and has no parameters; each of the others has some."))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _is_share(value: object) -> bool:
    return _is_number(value, 0.0, 1.0)


def _is_skill_threshold(value: object) -> bool:
    """Whether it is a confidence that some skill can miss: from 0 each would do, also where none is able."""
    return _is_share(value) and value != 0


def _are_skill_weights(value: object) -> bool:
    """Whether it maps names of skills to factors of their confidence, from 0, which leaves a skill out, to 2."""
    return (
        isinstance(value, dict)
        and 0 < len(value) <= MOST_WEIGHTS
        and all(_NAME.fullmatch(name) is not None and _is_number(weight, 0.0, 2.0) for name, weight in value.items())
    )


def _are_thresholds(value: object) -> bool:
    """Whether it maps names of thresholds to the least scores with which something found enters the prompt."""
    if not isinstance(value, dict) or not value or not set(value) <= RECALL_THRESHOLDS:
        return False
    return all(map(_is_share, value.values()))


def _are_slot_tokens(value: object) -> bool:
    """Whether it maps names of parts of the prompt to whole numbers of tokens."""
    return (
        isinstance(value, dict)
        and 0 < len(value) <= MOST_WEIGHTS
        and all(
            _NAME.fullmatch(name) is not None and _is_whole(tokens) and 0 <= tokens <= MOST_SLOT_TOKENS
            for name, tokens in value.items()
        )
    )


def _is_version(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _VERSION_LENGTH and value.isprintable()


_PARAMETERS: Final[Mapping[Experiment.Dimension, Mapping[str, Callable[[object], bool]]]] = {
    Experiment.Dimension.BRAIN_ROUTING: {
        "skill_weights": _are_skill_weights,
        "skill_threshold": _is_skill_threshold,
        "recall_thresholds": _are_thresholds,
        "slot_tokens": _are_slot_tokens,
    },
    Experiment.Dimension.PROMPT_VERSION: {"prompt_version": _is_version},
}
