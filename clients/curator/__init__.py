"""The command `curator`."""
