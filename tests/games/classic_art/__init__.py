"""Tests of Classic Art."""
