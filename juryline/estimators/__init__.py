"""Pure statistics: arrays and tallies in, frozen results out."""
