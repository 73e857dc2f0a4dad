"""Asset checks that wrap the verdicts: contracts, profiles, protocol gates, row accounting."""
