"""Human-evaluation studies as a library: intake, ledger, derivations, statistics, analyses, reports."""
