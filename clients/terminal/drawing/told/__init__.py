"""The rulesets in words, one module a ruleset: names, moves, events, and a view as plain lines."""
