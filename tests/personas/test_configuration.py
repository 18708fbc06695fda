"""persona.yaml says what it may and is refused with anything else (P-6)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from personas.checks import the_persona_file_can_be_read
from personas.configuration import DEFAULTS, FILE, PersonaConfig, configured_persona


@pytest.fixture
def file(tmp_path: Path, settings: Settings) -> Path:
    path = tmp_path / "persona.yaml"
    settings.PERSONA_FILE = str(path)
    return path


def test_what_is_shipped_says_what_the_seed_asks_for(settings: Settings) -> None:
    settings.PERSONA_FILE = ""

    assert configured_persona() == PersonaConfig()
    assert configured_persona().model_dump() == {
        "dynamic_modes": True, "write_back": True, "default_mode": "hybrid", "ttl_turns": 20, "cool_down_turns": 5,
        "max_chars": 1500,
    }  # fmt: skip
    assert set(PersonaConfig.model_fields) == {
        line.split(":")[0] for line in (DEFAULTS / FILE).read_text().splitlines() if line and not line.startswith("#")
    }


def test_what_a_file_leaves_out_is_as_shipped(file: Path) -> None:
    file.write_text("write_back: false\n")

    assert configured_persona() == PersonaConfig(write_back=False)


def test_an_empty_file_changes_nothing(file: Path) -> None:
    file.write_text("# nothing yet\n")

    assert configured_persona() == PersonaConfig()


def test_a_changed_file_counts_without_a_restart(file: Path) -> None:
    file.write_text("dynamic_modes: true\n")
    assert configured_persona().dynamic_modes
    file.write_text("dynamic_modes: false\n")
    os.utime(file, ns=(1, 1))

    assert not configured_persona().dynamic_modes


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dynamic_mode: true", "dynamic_mode"),
        ("write_back: 'no'", "write_back"),
        ("ttl_turns: yes", "ttl_turns"),
        ("ttl_turns: 0", "ttl_turns"),
        ("default_mode: pirate", "default_mode"),
        ("max_chars: 20.5", "max_chars"),
        ("- rational", "the whole"),
        ("{", "not YAML"),
    ],
)
def test_what_it_may_not_say_is_refused_by_name(file: Path, text: str, told: str) -> None:
    file.write_text(text)

    with pytest.raises(ImproperlyConfigured, match=told):
        configured_persona()
    (error,) = the_persona_file_can_be_read()
    assert error.id == "personas.E001"


def test_a_file_that_is_not_there_is_told_at_start(file: Path) -> None:
    assert [error.id for error in the_persona_file_can_be_read()] == ["personas.E001"]


def test_a_file_that_is_no_text_is_refused(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\xff")

    with pytest.raises(ImproperlyConfigured, match="UTF-8"):
        configured_persona()


def test_a_good_file_passes_the_check(file: Path) -> None:
    file.write_text("max_chars: 800\n")

    assert the_persona_file_can_be_read() == []
