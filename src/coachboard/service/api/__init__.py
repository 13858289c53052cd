"""The ten endpoints of the interface: checks, limits, replies."""
