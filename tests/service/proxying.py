"""A small reverse proxy on loopback, which serves an app below a path as nginx or Caddy do."""

from __future__ import annotations

import contextlib
import http.client
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_HOP = ("connection", "keep-alive", "transfer-encoding")


@contextlib.contextmanager
def proxy(root: str, port: int, *, strips: bool) -> Iterator[int]:
    """The port of a proxy that passes what is below `root` on to an app's port, with the path or without; else it answers 404."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self) -> None:
            if self.path != root and not self.path.startswith(f"{root}/"):
                self.send_error(404, "outside of the path")
                return
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {
                name: value for name, value in self.headers.items() if name.lower() not in _HOP
            }
            path = (self.path.removeprefix(root) or "/") if strips else self.path
            with contextlib.closing(
                http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            ) as app:
                app.request(self.command, path, body, headers)
                answer = app.getresponse()
                content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in (*_HOP, "content-length", "date"):
                    self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            self.pass_on()

        def do_POST(self) -> None:
            self.pass_on()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
