"""What all rulesets share: the Game protocol, errors, seeded randomness, component data."""
