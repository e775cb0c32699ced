"""The use cases of a match: pure transitions, and the calls that load, apply and write."""
