"""Fault families at length, outside CI: `make soak` prints one table. CI runs a short form of each."""
