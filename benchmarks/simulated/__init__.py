"""Studies drawn from known truths: how often intervals cover them, and how often tests reject where nothing is."""
