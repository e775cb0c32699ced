"""The referee: rules, table, store and service."""
