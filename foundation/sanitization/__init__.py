"""Sanitization of text before it enters a prompt."""
