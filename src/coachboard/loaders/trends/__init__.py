"""Data of the trends page."""
