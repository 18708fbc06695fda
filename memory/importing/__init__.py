"""Import of conversations from files, through the services that every turn uses."""
