"""A malformed request gets the interface's error body too: uvicorn answers it without calling the application."""

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from coachboard.service.api.errors import BadRequest, reply_to_refusal


class ServiceProtocol(HttpToolsProtocol):
    """HTTP over httptools. uvicorn takes it by name, because its import takes half a second."""

    def send_400_response(self, msg: str) -> None:
        """Send the error body for a request that the parser rejects, and close the connection."""
        reply = reply_to_refusal(BadRequest(msg))
        headers = [*self.server_state.default_headers, *reply.raw_headers, (b"connection", b"close")]
        lines = b"".join(b"%b: %b\r\n" % header for header in headers)
        self.transport.write(b"%b%b\r\n%b" % (STATUS_LINE[400], lines, bytes(reply.body)))
        self.transport.close()
