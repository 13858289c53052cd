"""Data of the calendar page."""
