"""Drafts experiments as operators write them down, and refuses those that would vary nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from typing import Any, Final

from django.utils.translation import gettext as _

from consent.experiments import ExperimentDraft, draft_experiment
from consent.models import Experiment
from consent.prompt_versions import stored_version
from finclaw.brain.prompt.budget import BOUNDS, COMPRESSIBLE
from finclaw.brain.skills.registry import SKILLS
from foundation.accounts.models import User
from foundation.exceptions import ValidationFailed

_FIELDS: Final = {field.name for field in fields(ExperimentDraft)}
_REQUIRED: Final = {field.name for field in fields(ExperimentDraft) if field.default is MISSING}
_SLOT_BOUNDS: Final = {slot.value: BOUNDS[slot] for slot in COMPRESSIBLE}
_SKILLS: Final = frozenset(skill.name for skill in SKILLS)


def draft_from_json(operator: User, given: object) -> Experiment:
    """Draft the experiment that an object of JSON describes, by the fields of ``ExperimentDraft``.

    Raises what ``draft_experiment`` raises, and ``ValidationFailed`` for fields that it has not, a skill or a version
    of the prompt that there is not.
    """
    if not isinstance(given, dict) or not _REQUIRED <= set(given) <= _FIELDS:
        required, optional = ", ".join(sorted(_REQUIRED)), ", ".join(sorted(_FIELDS - _REQUIRED))
        raise ValidationFailed(
            _("An experiment is an object with %(required)s, and where needed %(optional)s.")
            % {"required": required, "optional": optional}
        )
    if given["dimension"] not in Experiment.Dimension.values:
        choices = ", ".join(Experiment.Dimension.values)
        raise ValidationFailed(_("What varies is one of %(choices)s.") % {"choices": choices})
    dimension = Experiment.Dimension(given["dimension"])
    _require_known_skills(given["variants"])
    _require_known_prompts(given["variants"])
    _require_slots_within_bounds(given["variants"])
    _require_types(given)
    return draft_experiment(operator, ExperimentDraft(**given | {"dimension": dimension}))


def _require_types(given: Mapping[str, Any]) -> None:
    """Raise ``ValidationFailed`` for a text or a number that is none."""
    for name, value in given.items():
        wanted = {"layer_start": int, "layer_end": int, "floor": int | float}.get(name, str)
        if name != "variants" and (not isinstance(value, wanted) or isinstance(value, bool)):
            raise ValidationFailed(_("The field %(name)s has a value of the wrong type.") % {"name": name})


def _require_known_skills(variants: object) -> None:
    """Raise ``ValidationFailed`` for a weight of a skill that there is not: it would vary nothing."""
    for parameters in _parameters(variants):
        weights = parameters.get("skill_weights")
        unknown = set(weights) - _SKILLS if isinstance(weights, dict) else set()
        if unknown:
            raise ValidationFailed(_("There is no skill %(names)s.") % {"names": ", ".join(sorted(unknown))})


def _require_known_prompts(variants: object) -> None:
    """Raise ``ValidationFailed`` for a version of the prompt that nobody has written; control has the shipped one."""
    for parameters in _parameters(variants):
        version = parameters.get("prompt_version")
        if isinstance(version, str) and stored_version(version) is None:
            raise ValidationFailed(_("There is no version %(version)s of the prompt.") % {"version": version[:20]})


def _require_slots_within_bounds(variants: object) -> None:
    """Raise ``ValidationFailed`` for tokens of a part of the prompt that may not be cut, or beyond its bounds."""
    for parameters in _parameters(variants):
        given = parameters.get("slot_tokens")
        for name, tokens in given.items() if isinstance(given, dict) else ():
            bounds = _SLOT_BOUNDS.get(name)
            if bounds is None:
                names = ", ".join(_SLOT_BOUNDS)
                raise ValidationFailed(_("The parts of the prompt that may vary are %(names)s.") % {"names": names})
            if isinstance(tokens, int) and not bounds.least <= tokens <= bounds.most:
                named = {"name": name, "least": bounds.least, "most": bounds.most}
                raise ValidationFailed(_("%(name)s has from %(least)s to %(most)s tokens.") % named)


def _parameters(variants: object) -> Iterator[Mapping[str, Any]]:
    """The parameters of each variant, as far as they are written as they should be."""
    for variant in variants if isinstance(variants, list) else ():
        parameters = variant.get("parameters") if isinstance(variant, dict) else None
        if isinstance(parameters, dict):
            yield parameters
