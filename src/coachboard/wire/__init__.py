"""The objects of the interface as closed, exact models, without other code.

One module per family of objects; names are snake_case in Python and camelCase on the wire. Descriptions and
units are in `coachboard.wire.fields`.
"""
