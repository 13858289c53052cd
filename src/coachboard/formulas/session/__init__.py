"""One session: power, curves, W' balance, laps, climbs, swimming, zones, recording quality."""
