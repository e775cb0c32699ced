"""Faults of the network, of replicas and of the store, and what callers see of them."""
