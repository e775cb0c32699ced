"""Tests of Art Decko."""
