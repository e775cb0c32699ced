"""Tests of ArtSee."""
