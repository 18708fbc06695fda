"""Patterns of code, markup and filler that are cut out of a text; the rest of it stays."""

from __future__ import annotations

import re

from foundation.sanitization.rules import CutPayload

# Format characters that show nothing: they hide words from a reader or from patterns. Not the joiners of emoji
# (U+200D, U+FE0F) nor U+200C, which Persian needs.
INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\U000e0000-\U000e007f]"
)
# Cyrillic and Greek letters that look Latin.
LOOKALIKES = str.maketrans("аеорсухіјѕԁһӏοαερντικ", "aeopcyxijsdhloaepvtik")
LONGEST_RUN = 256
"""Characters without a space before a run is taken for filler or an encoded payload; long links pass."""
LONGEST_REPEAT = 63
"""Times that a character may follow itself."""
_FLAGS = re.IGNORECASE


def _may_hold_long_run(text: str) -> bool:
    """Whether a word is as long as a run, or a character is repeated wherever a repetition would have to pass."""
    step = LONGEST_REPEAT // 2
    if any(text[at : at + step] == text[at] * step for at in range(0, len(text) - step + 1, step)):
        return True
    return max(map(len, text.split()), default=0) >= LONGEST_RUN


PAYLOADS = (
    CutPayload(
        "sql",
        re.compile(
            r"(?:['\"]\s{0,8}+;?|;)?\s{0,8}+\b(?:drop\s+(?:table|database|schema)\s+\w{1,64}\s*;|truncate\s+table\s+\w{1,64}\s*;"
            r"|delete\s+from\s+\w{1,64}(?:\s+where\b[^;\n]{0,80})?;|union\s+(?:all\s+)?select\b[^;\n]{0,120})(?:\s*--)?"
            r"|['\"]\s*or\s+'?\d+'?\s*=\s*'?\d+'?",
            _FLAGS,
        ),
        ("drop", "truncate", "delete", "union", "'1'", "1=1", " or "),
    ),
    CutPayload(
        "script",
        re.compile(
            r"<script\b[^>]{0,200}>(?:[^<]{0,2000}</script>)?|\bjavascript:\S{1,200}|\bon(?:error|load)\s*=\s*\S{1,200}",
            _FLAGS,
        ),
        ("<script", "javascript:", "onerror", "onload"),
    ),
    CutPayload(
        "shell",
        re.compile(
            r"__import__\(\s*['\"]os['\"]\s*\)[^\n]{0,80}?\)+|\bos\.system\([^)\n]{0,120}\)"
            r"|\bsubprocess\.\w{1,20}\([^)\n]{0,160}\)+"
            r"|\brm\s+-rf\s+\S{1,100}|\b(?:curl|wget)\s+\S{1,200}\s*\|\s*(?:ba|z)?sh\b",
            _FLAGS,
        ),
        ("__import__", "os.system", "subprocess", "rm -rf", "curl", "wget"),
    ),
    CutPayload("lookup", re.compile(r"\$\{(?:jndi|env|sys):[^}\n]{0,200}\}?", _FLAGS), ("${",)),
    CutPayload("image_link", re.compile(r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,300}\?[^)\s]{0,300}\)?"), ("![",)),
    CutPayload(
        "prompt_tags",
        re.compile(
            r"</?(?:user_memory|memory_usage_guide|user_context)\b[^>\n]{0,200}>?|<knowledge\b[^>\n]{0,200}>?", _FLAGS
        ),
        ("user_memory", "memory_usage_guide", "user_context", "<knowledge"),
    ),
    CutPayload("long_run", re.compile(rf"(.)\1{{{LONGEST_REPEAT},}}|[!-~]{{{LONGEST_RUN},}}"), sign=_may_hold_long_run),
)
