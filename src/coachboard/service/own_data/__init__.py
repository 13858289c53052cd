"""The API for people's own data: imports, corrections, values and recomputation (`docs/own-data-api.md`)."""
