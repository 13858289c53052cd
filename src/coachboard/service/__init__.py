"""The service itself: the ten endpoints of the interface over a store of its own."""
