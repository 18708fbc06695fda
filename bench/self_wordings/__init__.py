"""Wordings of questions about oneself, and of what only looks like one: see README.md."""
