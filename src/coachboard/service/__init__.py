"""The service: the ten endpoints of the interface over its own store."""
