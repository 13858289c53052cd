"""Requests to the service: HTTP, repeated requests, the rate limit."""
