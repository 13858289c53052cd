"""The demo squad: a model of training that writes what athletes, coaches and devices would have written.

Reading order: `squad` (who), `planning` and `workouts` (the plan), `training` (day by day), `execution` and `outing` (what
becomes of a workout), `practice`, `routes` and `simulation` (the session on a grid of five seconds), `summary` and
`streams` (both from that grid, so that they agree), `body` and `life` (nights, metrics, calendar), `generate` (all
rows of an athlete, and a demo database), `coaching` (texts of the coach), `making` (the state of that database).
"""
