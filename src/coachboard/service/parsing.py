"""What is no HTTP at all gets the interface's body too: the server answers it before the application is asked."""

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from coachboard.service.errors import BadRequest, reply_to_refusal


class ServiceProtocol(HttpToolsProtocol):
    """HTTP over httptools; to be given to uvicorn by name, for its import takes half a second."""

    def send_400_response(self, msg: str) -> None:
        """Refuse what the parser refused, such as a method that is none; the connection ends with it."""
        reply = reply_to_refusal(BadRequest(msg))
        headers = [*self.server_state.default_headers, *reply.raw_headers, (b"connection", b"close")]
        lines = b"".join(b"%b: %b\r\n" % header for header in headers)
        self.transport.write(b"%b%b\r\n%b" % (STATUS_LINE[400], lines, bytes(reply.body)))
        self.transport.close()
