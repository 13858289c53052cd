"""Recordings of devices (FIT, TCX, GPX) and planned workouts, read into the objects of the interface."""
