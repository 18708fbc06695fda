"""Expressions of time, in English and Chinese, and what they mean by a clock."""
