"""A ruleset from outside the package."""
