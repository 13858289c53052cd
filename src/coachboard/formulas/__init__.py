"""Pure functions on arrays and frames: formula, unit, source."""
