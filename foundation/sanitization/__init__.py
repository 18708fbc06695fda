"""What may enter a prompt."""
