"""Structured workouts: structure, alignment with a session, adherence, feasibility."""
