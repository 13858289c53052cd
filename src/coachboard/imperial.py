"""Lengths and weights of the imperial system in metres and kilograms, exact by definition (1959)."""

M_PER_MILE = 1609.344
M_PER_YARD = 0.9144
M_PER_FOOT = 0.3048
KG_PER_POUND = 0.45359237
