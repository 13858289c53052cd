"""The wire and nothing else: every object of the interface document, closed and exact.

One module a family of objects; camelCase stops here. Nothing of the package is imported from here.
"""
