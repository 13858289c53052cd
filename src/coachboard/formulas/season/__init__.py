"""Many sessions: load, monotony, durability, repeated climbs, intensity distribution, phases of a season."""
