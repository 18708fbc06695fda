"""Learning: from a message to memories, written under the consent that holds."""
