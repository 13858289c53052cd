"""Coachboard: a coaching dashboard, and the training-data query service it reads."""

__version__ = "0.1.0"
