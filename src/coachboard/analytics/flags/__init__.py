"""Flags of an athlete and their rules."""
