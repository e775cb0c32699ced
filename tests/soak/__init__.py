"""Tests that take the whole service through many matches."""
