"""Thin Dagster assets, a module a stage of the way from exports to report."""
