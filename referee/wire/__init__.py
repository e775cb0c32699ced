"""Messages to domain values and back, one module a ruleset."""
