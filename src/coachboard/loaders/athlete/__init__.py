"""Data of the athlete page."""
