"""Invitations to a workspace: the endpoint and the mail."""
