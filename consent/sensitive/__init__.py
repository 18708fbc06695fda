"""Sensitive input (keys, card numbers, addresses, names): find it, then refuse or mask it."""
