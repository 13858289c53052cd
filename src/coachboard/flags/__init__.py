"""Flags of an athlete: the engine, the days that it reads, and one file for each rule."""
