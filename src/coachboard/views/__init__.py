"""Streamlit code: the frame of every page, the widgets, and one folder per page."""
