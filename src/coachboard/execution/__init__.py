"""Planned against done: the score of a workout that every page shows."""
