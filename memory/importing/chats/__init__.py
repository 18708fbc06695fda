"""Import of the export files of other assistants and memory programs into the user's own account."""
