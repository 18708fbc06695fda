"""Evaluates on public data sets how well search finds what answers a question, without a model."""
