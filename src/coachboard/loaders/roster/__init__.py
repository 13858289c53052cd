"""Data of the roster page."""
