"""The frame of every page: navigation, sign-in, connection, status, notices, formats."""
