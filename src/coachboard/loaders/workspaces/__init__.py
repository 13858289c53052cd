"""Data of the workspaces page."""
