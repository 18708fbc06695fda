"""The gate of learning: a linear model judges whether a sentence teaches something lasting about its speaker."""

from memory.evolution.gate.classifier import judge
from memory.evolution.gate.types import Band, Judgement

__all__ = ["Band", "Judgement", "judge"]
