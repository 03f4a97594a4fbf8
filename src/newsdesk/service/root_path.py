"""Serve the web app below a path of a proxy, such as /newsdesk: requests come in with the path or without, and answers name it.

Routes and pages know nothing of the path. It is taken from the address of a request here and added to redirects and cookies; `rooted` adds it to the addresses in a page.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# An address of this site in a rendered page. Texts of people cannot match: their quotation marks are escaped.
_ADDRESS = re.compile(r'((?:href|src|action|formaction)=")(?=/(?!/))')
_COOKIE_PATH = re.compile(r"(;\s*path=)(/[^;]*)", re.IGNORECASE)
_ROOT = "app_root_path"  # where Starlette looks for the path of the app as a whole


class RootPath:
    """Take the root path from requests, whether the proxy passes it on or not, and add it to what browsers are told."""

    def __init__(self, app: ASGIApp, root: str) -> None:
        self._app = app
        self._root = root

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path: str = scope["path"]
        if path == self._root or path.startswith(f"{self._root}/"):
            path = path.removeprefix(self._root) or "/"
        host = Headers(scope=scope).get("host", "")

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_to(MutableHeaders(scope=message), host)
            await send(message)

        inner = {**scope, "path": path, "raw_path": path.encode(), _ROOT: self._root}
        await self._app(inner, receive, sending)

    def _add_to(self, headers: MutableHeaders, host: str) -> None:
        """Add the path to a redirect within this site, and to the paths of cookies."""
        location = headers.get("location")
        if location is not None:
            parts = urlsplit(location)
            if parts.netloc in ("", host) and parts.path.startswith("/"):
                headers["location"] = parts._replace(path=self._root + parts.path).geturl()
        cookies = headers.getlist("set-cookie")
        if cookies:
            del headers["set-cookie"]
            for cookie in cookies:
                headers.append("set-cookie", _COOKIE_PATH.sub(self._cookie_path, cookie))

    def _cookie_path(self, found: re.Match[str]) -> str:
        return found[1] + (self._root if found[2] == "/" else self._root + found[2])


def rooted(request: Request, text: str) -> str:
    """Return a page with the root path, if there is one, before its addresses on this site."""
    root = request.scope.get(_ROOT, "")
    return _ADDRESS.sub(lambda found: found[1] + root, text) if root else text
