"""Look-alikes have one skeleton, whatever they are written with; names that merely resemble each other have two."""

from __future__ import annotations

import pytest

from foundation.text.confusables import has_invisible, mixes_scripts, skeleton_of


@pytest.mark.parametrize(
    ("name", "alike"),
    [
        ("victim", "vіctіm"),  # Cyrillic і
        ("admin", "аdmin"),  # Cyrillic а
        ("paypal", "раураl"),
        ("alice", "ALICE"),
        ("alice", "aIice"),  # upper-case i
        ("alice", "a1ice"),
        ("oscar", "0scar"),
        ("modern", "modem"),
        ("admin", "ａｄｍｉｎ"),
        ("admin", "𝐚𝐝𝐦𝐢𝐧"),
        ("alice smith", "alicesmith"),
        ("café", "cafe\u0301"),
        ("straße", "strasse"),
        ("vikolaos", "νikοlaοs"),  # Greek ν and ο
    ],
)
def test_look_alikes_have_one_skeleton(name: str, alike: str) -> None:
    assert skeleton_of(name) == skeleton_of(alike)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("bob", "rob"),
        ("nina", "vina"),
        ("user5", "users"),
        ("张伟", "张玮"),
        ("王芳", "王方"),
        ("未来", "末来"),
        ("cafe", "café"),
    ],
)
def test_other_names_have_others(name: str, other: str) -> None:
    assert skeleton_of(name) != skeleton_of(other)


@pytest.mark.parametrize("name", ["vіctіm", "αlice", "аdmin", "ali٠ce"])
def test_a_word_of_two_alphabets_is_mixed(name: str) -> None:
    assert mixes_scripts(name)


@pytest.mark.parametrize(
    "name",
    [
        "alice",
        "Müller",
        "张伟",
        "张伟alice",
        "Ёжик",
        "Ёжик Smith",
        "さくら太郎",
        "サクラcat",
        "김민수",
        "O'Neil-2",
        "",
        "✨",
        "Ελένη",
    ],
)
def test_what_people_are_called_is_not(name: str) -> None:
    assert not mixes_scripts(name)
    assert not has_invisible(name)


@pytest.mark.parametrize(
    "character",
    [
        "\x00",
        "\n",
        "\u200b",
        "\u200d",
        "\u202e",
        "\u2066",
        "\u00ad",
        "\ufeff",
        "\u3164",
        "\u115f",
        "\u2800",
        "\ue000",
        "\ufe0f",
    ],
)
def test_what_nobody_sees_is_found(character: str) -> None:
    assert has_invisible(f"ali{character}ce")


def test_what_stands_for_a_class_stands_for_all_of_it() -> None:
    for character in "oо0ΟО〇":
        assert skeleton_of(character) == skeleton_of("O")
