"""The gate of learning: whether a sentence teaches something lasting about its speaker, judged by a linear model."""

from memory.evolution.gate.classifier import judge
from memory.evolution.gate.types import Band, Judgement

__all__ = ["Band", "Judgement", "judge"]
