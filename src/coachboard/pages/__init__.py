"""One package per page: `data.py` reads everything, each other module is a section.

A section has a pure function that computes, one that makes the figure and one that draws. Modules beside the
packages are sections and helpers that several pages share.
"""
