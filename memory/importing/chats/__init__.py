"""Import of the export files of ChatGPT and Claude into the user's own account."""
