"""What players, spectators and hosts do, for Locust: `python -m loadtest.run`. Needs the extra `load`."""
