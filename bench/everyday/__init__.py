"""Everyday messages in many voices, each sentence labelled by what it teaches; see README.md."""
