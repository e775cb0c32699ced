"""From a tournament file, or flags, to a plan without a fault."""
