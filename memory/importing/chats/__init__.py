"""Conversations out of the export files of other assistants, brought into one's own account."""
