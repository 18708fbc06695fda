"""Sanitize remembered text before it enters a prompt. What is stored is never changed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from django.core.cache.backends.locmem import LocMemCache

from foundation.guards import assess
from foundation.language import normalize
from foundation.lexicon import read_lexicon
from foundation.sanitization.disguises import undisguised
from foundation.sanitization.payloads import INVISIBLE, LOOKALIKES, PAYLOADS
from foundation.sanitization.records import without_field_names
from foundation.sanitization.rules import CUT, OrderTemplate
from foundation.sanitization.types import ExcludedLine, ExclusionReason, SafeText, SanitizationResult, SanitizedText

_ORDERS = read_lexicon(__file__, "order_templates")
_LATIN, _CHINESE = (
    [
        OrderTemplate(found["rule"], tuple(found["needles"]), found["pattern"], tuple(found.get("also", ())))
        for language in languages
        for found in _ORDERS.of(language).rules("templates")
    ]
    for languages in (("any", "en"), ("zh",))
)
_LOOKALIKE = re.compile(f"[{''.join(map(chr, LOOKALIKES))}]")
# Chinese is read without spaces and line ends; the pattern begins with what is rarest.
_SPACED_OUT = re.compile(r"\s(?<=[\u4e00-\u9fff]\s)\s*+(?=[\u4e00-\u9fff])")
# Seldom said of oneself, often said to an assistant: worth a model's second look where there is one.
_SUSPICIOUS = re.compile(
    r"\b(?:system prompt|instructions?|the user|you must|you are now|as an ai|jailbreak|override|assistant)\b"
    r"|提示词|系统指令|你必须|你现在是|用户|越狱|忽略.{0,6}(?:指令|规则)|务必|口令"
)

_NOTHING = SafeText("")
# An in-process cache, whatever CACHES says, of hashes of texts that pass unchanged: personas, portraits and memories
# stand in turn after turn. It holds no text.
_passed: Final = LocMemCache("sanitization.passed", {"timeout": 3600, "max_entries": 8192})
ORDERS: Final = "orders"
"""The rule of what the trained guard blocks."""
_SHORTEST_ORDER: Final = 12
"""Characters; names and labels are shorter."""


def sanitize(text: str) -> SanitizedText:
    """``text`` as it may be injected: unchanged, with payloads cut out, or blocked.

    Orders to the assistant block the whole text; code, markup of prompts, filler and
    invisible characters are cut out. Pure, in time linear in the text. Sanitizing twice changes nothing more.
    """
    if not text:
        return SanitizedText(_NOTHING)
    key = sha256(text.encode(errors="surrogatepass")).hexdigest()
    if _passed.get(key):
        return SanitizedText(SafeText(text))
    found = _sanitize_unread(text)
    if found.result is SanitizationResult.PASS:
        _passed.set(key, True)
    return found


def _sanitize_unread(text: str) -> SanitizedText:
    shown = _visible(text)
    readings = _readings(shown)
    if template := _order_template(readings):
        return SanitizedText(_NOTHING, SanitizationResult.BLOCKED, template)
    found, rule = shown, "" if shown == text else "invisible"
    shown, payload = _cut_payloads(found)
    if len(shown) >= _SHORTEST_ORDER and _gives_orders(readings if shown == found else _readings(shown)):
        return SanitizedText(_NOTHING, SanitizationResult.BLOCKED, ORDERS)
    rule = rule or payload
    if not rule:
        return SanitizedText(SafeText(text))
    left = shown.replace(CUT, "").strip()
    return (
        SanitizedText(SafeText(shown.strip()), SanitizationResult.SANITIZED, rule)
        if left
        else SanitizedText(_NOTHING, SanitizationResult.BLOCKED, rule)
    )


def _readings(shown: str) -> tuple[str, ...]:
    """A text, and what it says in disguise, normalized and without invisible characters."""
    return tuple(normalize(_visible(read)) for read in (shown, *undisguised(shown)))


def _visible(text: str) -> str:
    return text if text.isascii() else INVISIBLE.sub("", text)


def _cut_payloads(text: str) -> tuple[str, str]:
    """The text with payloads cut out, and the rule of the first of them; "" for none."""
    shown, lower, rule = text, text.lower(), ""
    for payload in PAYLOADS:
        if payload.may_stand_in(shown, lower) and (cut := payload.cut(shown)) != shown:
            shown, lower, rule = cut, cut.lower(), rule or payload.rule
    return shown, rule


def _order_template(readings: Iterable[str]) -> str:
    """The rule of an order template that stands in one of the readings of a text; "" for none."""
    for spelled in map(_unspaced, readings):
        for template in _LATIN if spelled.isascii() else (*_LATIN, *_CHINESE):
            if template.hits(spelled):
                return template.rule
    return ""


def order_rule(text: str) -> str:
    """The rule of a template of orders against the assistant's own rules that stands in a text; "" for none."""
    return _order_template(_readings(_visible(text)))


def _gives_orders(readings: Iterable[str]) -> bool:
    """Whether the trained guard takes one of the readings of a text for orders to the assistant."""
    return any(assess("injection", without_field_names(read)).is_positive for read in readings)


def sanitize_lines(text: str) -> SanitizedText:
    """As ``sanitize``, a line at a time: one that is blocked does not take the others along, unless together they
    are an order.
    """
    lines = [(line, sanitize(line)) for line in text.splitlines()]
    shown = "\n".join(found.text for line, found in lines if found.text or not line.strip()).strip()
    whole = sanitize(shown)
    rule = next((found.rule for _, found in lines if found.rule), "") or whole.rule
    if whole.result is SanitizationResult.BLOCKED or not whole.text:
        return SanitizedText(_NOTHING, SanitizationResult.BLOCKED, rule)
    return SanitizedText(whole.text, SanitizationResult.SANITIZED, rule) if rule else SanitizedText(SafeText(text))


def sanitized_texts(texts: Iterable[str]) -> tuple[SafeText, ...]:
    """The texts that may stand in a prompt, in order; those that are blocked, or empty, are gone."""
    return tuple(found.text for found in map(sanitize, texts) if found.text)


def excluded_lines(text: str) -> tuple[ExcludedLine, ...]:
    """The lines of ``text`` that ``sanitize_lines`` removes."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    blocked = [number for number, line in lines if sanitize(line).result is SanitizationResult.BLOCKED]
    if sanitize_lines(text).text:
        return tuple(ExcludedLine(number, ExclusionReason.ITSELF) for number in blocked)
    return tuple(
        ExcludedLine(number, ExclusionReason.ITSELF if number in blocked else ExclusionReason.TOGETHER)
        for number, _ in lines
    )


def is_suspicious(text: str) -> bool:
    """Whether a text the patterns let pass speaks like somebody giving orders to an assistant."""
    return _SUSPICIOUS.search(fold_for_patterns(text)) is not None


def fold_for_patterns(text: str) -> str:
    """Fold a text for patterns: normalized, without characters that hide words from a reader or a pattern."""
    return _unspaced(normalize(_visible(text)))


def fold_lines(lines: Iterable[str]) -> list[str]:
    """Each line folded for patterns; in one go, which takes half the time."""
    return [_unspaced(line) for line in normalize(_visible("\n".join(lines))).split("\n")]


def _unspaced(plain: str) -> str:
    """A normalized text with Latin letters for those that look like them, and Chinese without spaces."""
    if plain.isascii():
        return plain
    spelled = plain.translate(LOOKALIKES) if _LOOKALIKE.search(plain) else plain
    return _SPACED_OUT.sub("", spelled)
