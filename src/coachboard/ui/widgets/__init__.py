"""Widgets that several pages use; those with a script have a folder of their own."""
