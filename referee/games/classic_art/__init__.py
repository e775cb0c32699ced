"""Classic Art."""
