"""A study folder from exports to tables: joins the rooms of the library, without Dagster."""
