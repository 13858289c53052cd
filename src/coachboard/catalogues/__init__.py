"""Catalogues: one record for each stream column, for each metric, and for each property of the API.

Everything else reads these records, so that a name, unit or plausible range is written once.
"""
