"""Nights, heart-rate variability, resting heart rate and weight from CSV files and from the exports of services."""
