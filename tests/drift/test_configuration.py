"""Thresholds: the seed's as shipped, a file's over them, an organisation's over that; nonsense is refused at start."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.exceptions import ImproperlyConfigured
from pydantic import ValidationError
from pytest_django import Settings

from drift.checks import the_files_of_drift_can_be_read
from drift.configuration import DEFAULTS, DriftThresholds, configured_thresholds, thresholds_of
from finclaw.console.tenants import TenantSettings
from foundation.accounts.models import Tenant


@pytest.fixture
def file(tmp_path: Path, settings: Settings) -> Path:
    path = tmp_path / "drift_thresholds.yaml"
    settings.DRIFT_THRESHOLDS_FILE = str(path)
    return path


def _tenant(chosen: Any) -> Tenant:
    return Tenant(name="Desk", settings={"drift": chosen})


def test_what_is_shipped_is_what_the_seed_says() -> None:
    assert configured_thresholds().model_dump() == {
        "grade_reversal_days": 14,
        "conflict_reversals": 2,
        "stance_flip_changes_over": 5,
        "stance_flip_jaccard_below": 0.2,
        "stance_flip_days": 14,
        "reopened_days": 14,
        "reopened_delay_minutes": 60,
        "alerting": {"grade_reversal", "refresh_stance_flip"},
        "burst_signals": 3,
        "burst_hours": 24,
        "conflicts_to_warn": 5,
    }
    assert configured_thresholds().reopened_delay == timedelta(hours=1)


def test_a_file_changes_what_it_says_and_nothing_else(file: Path) -> None:
    file.write_text("grade_reversal_days: 30\n")

    assert configured_thresholds().grade_reversal_within == timedelta(days=30)
    assert configured_thresholds().reopened_within == timedelta(days=14)


def test_a_changed_file_counts_without_a_restart(file: Path) -> None:
    file.write_text("burst_signals: 4\n")
    assert configured_thresholds().burst_signals == 4
    file.write_text("burst_signals: 7\n")
    os.utime(file, ns=(1, 1))

    assert configured_thresholds().burst_signals == 7


def test_an_organisations_lie_over_the_files(file: Path) -> None:
    file.write_text("grade_reversal_days: 30\nburst_signals: 9\n")

    thresholds = thresholds_of(_tenant({"grade_reversal_days": 7}))

    assert (thresholds.grade_reversal_days, thresholds.burst_signals) == (7, 9)


@pytest.mark.parametrize("tenant", [None, Tenant(name="Desk"), _tenant({})])
def test_who_sets_nothing_gets_the_installations(tenant: Tenant | None) -> None:
    assert thresholds_of(tenant) == configured_thresholds()


@pytest.mark.parametrize(
    "chosen",
    [
        {"grade_reversal_day": 7}, {"grade_reversal_days": 0}, {"stance_flip_jaccard_below": 1.5},
        {"alerting": ["mood"]}, {"burst_signals": "many"}, "strict", ["strict"],
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_where_it_is_set_and_ignored_where_it_stands(chosen: Any) -> None:
    assert thresholds_of(_tenant(chosen)) == configured_thresholds()
    with pytest.raises(ValidationError):
        TenantSettings.model_validate({"drift": chosen})


def test_an_organisation_may_set_one_field_alone() -> None:
    assert TenantSettings.model_validate({"drift": {"burst_hours": 48}}).drift.burst_hours == 48


@pytest.mark.parametrize("text", ["grade_reversal_days: 0", "grade_reversals_day: 3", "- 14", "{"])
def test_a_file_that_cannot_be_used_is_told_at_start(text: str, file: Path) -> None:
    file.write_text(text)

    assert [error.id for error in the_files_of_drift_can_be_read()] == ["drift.E001"]
    with pytest.raises(ImproperlyConfigured):
        configured_thresholds()


def test_a_lexicon_that_cannot_be_used_is_told_at_start(tmp_path: Path, settings: Settings) -> None:
    settings.DRIFT_LEXICON_FILE = str(tmp_path / "nowhere.yaml")

    assert [error.id for error in the_files_of_drift_can_be_read()] == ["drift.E002"]


def test_the_shipped_files_pass_and_name_every_threshold() -> None:
    assert the_files_of_drift_can_be_read() == []
    shipped = yaml.safe_load((DEFAULTS / "drift_thresholds.yaml").read_text(encoding="utf-8"))
    assert set(shipped) == set(DriftThresholds.model_fields)
