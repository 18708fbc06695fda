"""What is remembered as it stands in a prompt, written by hand."""

from __future__ import annotations


def memories(*lines: str) -> str:
    """The element that holds these lines, each with its notes in brackets."""
    return "\n".join(("<user_memory>", *lines, "</user_memory>"))
