"""The body of every error ("Errors")."""

from coachboard.wire.base import Text, Wire


class ErrorBody(Wire):
    """A code that is constant per kind of error, and a text for people."""

    code: Text
    error: Text
