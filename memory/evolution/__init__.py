"""What a sentence states of its speaker, and what it changes of what is known. Pure."""
