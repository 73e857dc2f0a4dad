"""What is true of the data: specification, judgment record, derived tables, estimates, errors."""
