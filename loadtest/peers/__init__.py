"""Other game servers beside a referee: `make bench-peers`. Needs node, and what package.json names."""
