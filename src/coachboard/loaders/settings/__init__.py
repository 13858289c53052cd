"""Data of the settings page."""
