"""Nothing enters a prompt but by the doors of ``foundation.sanitization``: held over the source, so that a new prompt
cannot be forgotten.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent.parent
PACKAGES: Final = ("finclaw", "drift", "personas", "memory", "knowledge", "media", "consent", "foundation")
DOORS: Final = (
    "foundation/sanitization/prompt_text.py",
    "foundation/sanitization/services.py",
    "foundation/sanitization/operator_instructions.py",
)
MAKES_SAFE_TEXT: Final = {*DOORS, "finclaw/brain/types.py"}  # the last for a candidate that was sanitized before
PROMPTS: Final = {
    # where a model is asked: what the call is about, and stands as data; everything else is sanitized
    "foundation/llm/model_check.py": "questions of ours",
    "finclaw/brain/answers/rule_answers.py": "the message, which no model is asked",
    "finclaw/brain/understanding/message_reading.py": "the message",
    "finclaw/brain/prompt/layers.py": "the message, the person's own words before it",
    "foundation/llm/text_picking.py": "texts judged, as JSON",
    "finclaw/brain/research/parts.py": "the material",
    "finclaw/brain/research/personal_view.py": "the material",
    "memory/evolution/model_extraction.py": "the message",
    "memory/governance/model_arbitration.py": "nothing",
    "memory/historian/rewrite_prompt.py": "what is told of, and the answer refused",
    "memory/historian/event_prompt.py": "the sentences told, those around them, and the answer refused",
    "memory/portraits/model_arrangement.py": "nothing",
    "memory/services/summaries.py": "the messages summarised",
}
QUOTES: Final = {
    # the three doors for what a call is about, and who may use them
    "finclaw/brain/answers/rule_answers.py", "finclaw/brain/understanding/message_reading.py",
    "finclaw/brain/prompt/layers.py",
    "foundation/llm/text_picking.py", "finclaw/brain/research/parts.py",
    "finclaw/brain/tools/rounds.py", "finclaw/brain/recall/window.py",
    "memory/evolution/model_extraction.py", "memory/governance/model_arbitration.py",
    "memory/historian/rewrite_prompt.py", "memory/historian/event_prompt.py",
    "memory/portraits/model_arrangement.py", "memory/services/summaries.py",
    "finclaw/brain/programs/chats.py",
}  # fmt: skip
NOT_CONSTANT: Final = {
    # ``trusted_text`` of something else than a constant: a table of ours, a moment, a figure, a choice of a closed set
    "finclaw/brain/prompt/layers.py": {
        "name",
        "reply_language",
        "SLICES[slice_name].default",
    },
    "finclaw/brain/prompt/memory_lines.py": {"memory.occurred_at", "portrait.occurred_at"},
    "finclaw/brain/prompt/setting.py": {"setting.now", "setting.zone", "offset[:3]", "offset[3:5]"},
    "finclaw/brain/research/parts.py": {"part.instruction", "brief.as_of.isoformat()"},
    "finclaw/brain/research/personal_view.py": {"instruction.format(sentences=SENTENCES[asker.slices.depth])"},
    "finclaw/brain/research/slices.py": {"definition.default"},
    "finclaw/brain/skills/wording.py": {"'; '.join(names)"},
    "foundation/llm/prompt_elements.py": {"told"},
    "memory/evolution/model_extraction.py": {
        "utterance.said_at.isoformat()",
        "item.valid_at.date().isoformat()",
        "str(number)",
        "line.role",
    },
    "memory/historian/rewrite_prompt.py": {"local.isoformat(timespec='minutes')", "local", "clock.time_zone"},
    "memory/historian/event_prompt.py": {
        "first.clock.time_zone",
        "local.isoformat(timespec='minutes')",
        "local",
        "str(number)",
    },
    "memory/portraits/model_arrangement.py": set(),
}


@cache
def _sources() -> dict[str, ast.Module]:
    files = (file for package in PACKAGES for file in (ROOT / package).rglob("*.py") if "migrations" not in file.parts)
    return {str(file.relative_to(ROOT)): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def _calls(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            if (isinstance(called, ast.Name) and called.id == name) or (
                isinstance(called, ast.Attribute) and called.attr == name
            ):
                yield node


def _modules_calling(*names: str) -> set[str]:
    return {path for path, tree in _sources().items() if any(next(_calls(tree, name), None) for name in names)}


def test_every_module_that_makes_a_prompt_is_known() -> None:
    assert _modules_calling("Prompt") == set(PROMPTS)


def test_nothing_but_sanitization_makes_safe_text() -> None:
    assert _modules_calling("SafeText") <= MAKES_SAFE_TEXT
    for path, tree in _sources().items():
        casts = [call for call in _calls(tree, "cast") if "SafeText" in ast.unparse(call)]
        assert not casts, f"{path} casts to SafeText"


@pytest.mark.parametrize("door", ["as_data", "as_json_data", "as_message"])
def test_what_a_call_is_about_comes_in_where_it_is_known(door: str) -> None:
    assert _modules_calling(door) <= QUOTES | set(DOORS)


def test_trusted_text_is_ours() -> None:
    for path, tree in _sources().items():
        if path in DOORS:
            continue
        for call in _calls(tree, "trusted_text"):
            [argument] = call.args
            for part in _parts(argument):
                allowed = _is_constant(part) or ast.unparse(part) in NOT_CONSTANT.get(path, set())
                assert allowed, f"{path}: trusted_text({ast.unparse(part)}) is nobody's constant"


def _parts(argument: ast.expr) -> Iterator[ast.expr]:
    """What a text is made of: an f-string's values one by one."""
    if isinstance(argument, ast.JoinedStr):
        yield from (part.value for part in argument.values if isinstance(part, ast.FormattedValue))
    elif isinstance(argument, ast.BinOp):
        yield from _parts(argument.left)
        yield from _parts(argument.right)
    else:
        yield argument


def _is_constant(part: ast.expr) -> bool:
    if isinstance(part, ast.Constant):
        return True
    names = [node.id for node in ast.walk(part) if isinstance(node, ast.Name)]
    return bool(names) and all(name.lstrip("_").isupper() or name == "sorted" for name in names)
