"""The one partition dimension: a study of the workspace, by its slug."""

import dagster as dg

studies = dg.DynamicPartitionsDefinition(name="study")
