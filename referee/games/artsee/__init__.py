"""ArtSee."""
