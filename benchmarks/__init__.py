"""What Juryline costs, measured against the budgets of its design: `make bench`."""
