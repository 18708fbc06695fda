"""How messages become memory items. Analysis and resolution are pure."""
