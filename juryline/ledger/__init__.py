"""The append-only store: append, events, chain, stamps, trace, verify."""
