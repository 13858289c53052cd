"""Nights, HRV, metrics and their normal ranges."""
