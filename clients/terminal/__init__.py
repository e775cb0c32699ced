"""The terminal: people play, watch and replay."""
