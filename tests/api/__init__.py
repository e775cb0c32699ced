"""Tests of the service over the wire."""
