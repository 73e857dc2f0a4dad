"""The wiring: definitions, jobs, sensor, schedules, partitions, resources, and the command."""
