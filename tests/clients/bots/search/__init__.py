"""Tests of the bot that searches."""
