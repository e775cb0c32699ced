"""Art Decko."""
