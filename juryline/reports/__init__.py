"""Templates and charts: stored tables in, HTML out; computes nothing."""
