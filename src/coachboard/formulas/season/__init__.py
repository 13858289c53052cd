"""Many sessions: load, fitness, forecast, weeks, durability, performance over the season."""
