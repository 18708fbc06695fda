"""Contrast of the colour tokens in both themes (WCAG 2.2, 1.4.3 for text and 1.4.11 for controls)."""

import re
from pathlib import Path

import pytest

STYLE = Path(__file__).parents[2] / "finclaw" / "web" / "static" / "finclaw" / "app.css"
TOKEN = re.compile(r"--([\w-]+): (?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}));")

TEXT = [
    *[(ink, ground) for ink in ("ink", "ink-soft", "accent") for ground in ("canvas", "surface", "raised")],
    *[(state, f"{state}-wash") for state in ("accent", "good", "warn", "bad")],
    *[("ink", f"{state}-wash") for state in ("accent", "good", "warn", "bad")],
    *[("bad", ground) for ground in ("canvas", "surface")],
    *[("on-solid", f"{kind}-solid{hover}") for kind in ("accent", "bad") for hover in ("", "-hover")],
]
CONTROLS = [("line-strong", "canvas"), ("line-strong", "surface"), ("accent", "canvas")]


def colours(theme: int) -> dict[str, str]:
    """Token name to hexadecimal colour; theme 0 is light, 1 is dark."""
    found = TOKEN.findall(STYLE.read_text(encoding="utf-8"))
    return {name: both or (light, dark)[theme] for name, light, dark, both in found}


def luminance(colour: str) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2, definition of relative luminance)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    """Contrast ratio, 1 to 21 (WCAG 2.2, definition of contrast ratio)."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), TEXT)
def test_text_is_legible_on_every_ground_it_stands_on(theme: int, ink: str, ground: str) -> None:
    token = colours(theme)
    assert contrast(token[ink], token[ground]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("line", "ground"), CONTROLS)
def test_the_edge_of_a_control_can_be_seen(theme: int, line: str, ground: str) -> None:
    token = colours(theme)
    assert contrast(token[line], token[ground]) >= 3
