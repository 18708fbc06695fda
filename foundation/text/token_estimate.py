"""Estimate of how many model tokens a text takes."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"[A-Za-z]{1,4}|[0-9]{1,3}|[^\sA-Za-z0-9]")


def estimate_tokens(text: str) -> int:
    """Model tokens ``text`` will take, erring upwards, without a model's tokenizer.

    One per CJK character, accented letter, punctuation mark or emoji; one per four letters of a Latin word
    and one per three digits of a number, each begun group counted. White space is free: byte-pair tokenizers
    glue it to the word that follows.
    """
    return len(_TOKEN.findall(text))
