"""The demo squad: a model of training that writes what athletes, coaches and devices would have written.

Reading order: `squad` (who), `physiology` (what they can do), `season` and `workouts` (what is planned),
`execution` (what becomes of it), `terrain` and `motion` (where and how fast), `session` (one session on a grid
of five seconds, from which `summary` and `streams` are both made, so that they agree), `body`, `agenda`,
`generate` (all of it, athlete by athlete, what a roster reads first), `making` and `filling` (a demo whose pages stand before its rows do).
"""
