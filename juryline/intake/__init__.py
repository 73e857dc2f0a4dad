"""Intake rows to judgment records: labels, times, identity, quarantine."""
