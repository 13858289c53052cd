"""Data of the activity page."""
