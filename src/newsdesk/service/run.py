"""Run the web app with uvicorn: the first start issues an admin link, and a stop finishes the requests that run."""

from __future__ import annotations

import os
from collections.abc import Callable

import uvicorn

from newsdesk.service.app import create_app
from newsdesk.service.desk import Desk
from newsdesk.service.limits import install_logs
from newsdesk.service.settings import VARIABLE, ServiceSettings

_STOP_S = 30  # how long running requests may take to finish after a stop


def admin_link(
    settings: ServiceSettings, host: str, port: int, *, renew: bool = False
) -> str | None:
    """Return the address with a new token for the admin at the first start or with `renew`; else None."""
    desk = Desk.open(settings)
    try:
        if desk.access.has_admin() and not renew:
            return None
        token = desk.access.admin_link().token
    finally:
        desk.close()
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/sign-in?token={token}"


def run(
    settings: ServiceSettings,
    *,
    host: str,
    port: int,
    servers: int = 1,
    started: Callable[[], None] = lambda: None,
) -> None:
    """Serve until a signal stops it. `servers` processes share one port.

    `started` is called once before they begin.
    """
    install_logs()
    common = {
        "host": host,
        "port": port,
        "access_log": False,  # it would hold tokens; `limits` logs requests
        "log_config": None,
        "server_header": False,
        "timeout_graceful_shutdown": _STOP_S,
        "timeout_keep_alive": 15,
        "lifespan": "on",
    }
    started()
    if servers == 1:
        uvicorn.run(create_app(settings), **common)  # type: ignore[arg-type]
        return
    os.environ[VARIABLE] = settings.as_json()
    uvicorn.run(
        "newsdesk.service.app:app_from_environment",
        factory=True,
        workers=servers,
        **common,  # type: ignore[arg-type]
    )
