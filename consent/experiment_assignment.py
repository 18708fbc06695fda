"""Decides which variant of an experiment a user gets: a pure function of the experiment and the user's id.

Nothing is stored of an assignment, so it is the same in every process, after every restart, and at every later step.
Hashing a unit together with a salt of its own for each experiment, and layers of experiments that exclude each other,
are those of Tang, Agarwal, O'Brien and Meyer, "Overlapping Experiment Infrastructure" (KDD 2010), sections 4 and 5.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Self
from uuid import UUID

import structlog

log = structlog.get_logger(__name__)
CONTROL: Final = "control"
"""The name of the variant in which everything stays as it is."""
PER_CENT: Final = 100
BUCKETS: Final = 100 * PER_CENT
"""Into how many parts users are divided: a hundredth of a per cent is the smallest."""


@dataclass(frozen=True)
class ExperimentVariant:
    """One way of doing things; ``weight`` is its share of the experiment's users, in per cent."""

    name: str
    weight: int
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_json(cls, given: Mapping[str, Any]) -> Self:
        """The variant as the column holds it."""
        return cls(given["name"], given["weight"], dict(given.get("parameters", {})))

    @property
    def prompt_version(self) -> str:
        """The version of the prompt that it names, "" for none."""
        return str(self.parameters.get("prompt_version", ""))


@dataclass(frozen=True)
class RunningExperiment:
    """An experiment as assignment reads it.

    It owns the part of its ``layer`` from ``layer_start`` to below ``layer_end``, and takes ``share`` of the users who
    fall into that part; all three are per cent. ``guides`` are the texts of the versions of the prompt that its
    variants name, by version and guide.
    """

    id: UUID
    dimension: str
    layer: str
    layer_start: int
    layer_end: int
    share: int
    variants: tuple[ExperimentVariant, ...]
    guides: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        """The experiment of a row's columns, whose id may be text, as it is in JSON.

        What else a later release writes of a variant is left alone. Raises ``AttributeError``,
        ``KeyError``, ``TypeError`` or ``ValueError`` for a row that cannot be read.
        """
        variants = tuple(ExperimentVariant.of_json(variant) for variant in row["variants"])
        named = {name: row[name] for name in ("dimension", "layer", "layer_start", "layer_end", "share")}
        return cls(id=UUID(str(row["id"])), variants=variants, guides=dict(row.get("guides") or {}), **named)


def readable_experiments(rows: Iterable[Mapping[str, Any]]) -> tuple[RunningExperiment, ...]:
    """The experiments of rows, without those that this release cannot read, each of which is logged once."""
    return tuple(experiment for experiment in map(_read_row, rows) if experiment is not None)


def _read_row(row: Mapping[str, Any]) -> RunningExperiment | None:
    try:
        return RunningExperiment.of_row(row)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        _log_unreadable(str(row.get("id")), type(error).__name__)
        return None


@lru_cache(maxsize=64)
def _log_unreadable(experiment: str, error: str) -> None:
    log.error("experiment_unreadable", experiment=experiment, error=error)


@dataclass(frozen=True)
class VariantAssignment:
    """The variant that a user gets in an experiment, with the ``guides`` of the version of the prompt that it names."""

    experiment_id: UUID
    dimension: str
    variant: ExperimentVariant
    guides: Mapping[str, str] | None = None


def assigned_variant(experiment: RunningExperiment, user_id: UUID) -> ExperimentVariant | None:
    """The user's variant, or None for a user whom the experiment does not take.

    Three hashes that know nothing of each other decide: where in the layer the user stands, whether the experiment has
    grown to them yet, and the variant. So growing takes in new users and moves nobody, and whoever is taken first in
    one experiment is not taken first in the next.
    """
    place = _bucket(f"layer {experiment.layer}", user_id)
    if not experiment.layer_start * PER_CENT <= place < experiment.layer_end * PER_CENT:
        return None
    if _bucket(f"share {experiment.id}", user_id) >= experiment.share * PER_CENT:
        return None
    return _variant_at(experiment.variants, _bucket(f"variant {experiment.id}", user_id))


def assign(experiments: Iterable[RunningExperiment], user_id: UUID) -> tuple[VariantAssignment, ...]:
    """The user's variants in all experiments that take them, in the experiments' order: at most one in each layer."""
    found = ((experiment, assigned_variant(experiment, user_id)) for experiment in experiments)
    return tuple(
        VariantAssignment(experiment.id, experiment.dimension, variant, experiment.guides.get(variant.prompt_version))
        for experiment, variant in found
        if variant is not None
    )


def _variant_at(variants: Iterable[ExperimentVariant], bucket: int) -> ExperimentVariant | None:
    """The variant to whose stretch of the buckets this one belongs; the stretches lie end to end."""
    end = 0
    for variant in variants:
        end += variant.weight * PER_CENT
        if bucket < end:
            return variant
    return None


def _bucket(salt: str, user_id: UUID) -> int:
    """A number from 0 to below ``BUCKETS``, as good as drawn for each pair of salt and user."""
    digest = hashlib.sha256(f"{salt}:{user_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") * BUCKETS >> 64
