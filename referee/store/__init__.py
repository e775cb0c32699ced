"""Stores of matches."""
