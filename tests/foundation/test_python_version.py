"""A Python whose regular expressions miss what the guards look for is named at the start."""

from __future__ import annotations

import pytest

from finclaw.checks import python_matches_possessive_quantifiers


@pytest.mark.parametrize("version", [(3, 11, 2), (3, 11, 4), (3, 10, 14)])
def test_an_older_one_is_refused(version: tuple[int, ...]) -> None:
    (error,) = python_matches_possessive_quantifiers(version=version)

    assert error.id == "finclaw.E002"
    assert "3.11.5 or later" in error.msg


@pytest.mark.parametrize("version", [(3, 11, 5), (3, 12, 0)])
def test_a_newer_one_is_not(version: tuple[int, ...]) -> None:
    assert python_matches_possessive_quantifiers(version=version) == []
