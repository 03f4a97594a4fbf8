"""The links that `newsdesk serve` prints: for the admin, and to the parts of the demo."""

from __future__ import annotations

from collections.abc import Iterator

from newsdesk.demo import REPORT
from newsdesk.demo.campaigns import MODERATED, TRIAL, prepare
from newsdesk.service.desk import Desk, slug
from newsdesk.service.settings import ServiceSettings


def admin_link(
    settings: ServiceSettings, host: str, port: int, *, renew: bool = False
) -> str | None:
    """Return the address with a new token for the admin at the first start or with `renew`; else None.

    Until an admin has signed in, the links of several servers are valid side by side; `renew` makes earlier ones invalid.
    """
    desk = Desk.open(settings)
    try:
        if desk.access.has_admin() and not renew:
            return None
        return _sign_in(desk, address(host, port, settings.root_path), replaces=renew)
    finally:
        desk.close()


def _sign_in(desk: Desk, home: str, *, replaces: bool) -> str:
    return f"{home}sign-in?token={desk.access.admin_link(replaces=replaces).token}"


def address(host: str, port: int, root: str = "") -> str:
    """Return the address of the first page, below the path `root`, as somebody on the same machine opens it.

    >>> address("::1", 8000), address("0.0.0.0", 80)
    ('http://[::1]:8000/', 'http://127.0.0.1:80/')
    """
    reached = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{reached}]' if ':' in reached else reached}:{port}{root}/"


def demo_links(settings: ServiceSettings, host: str, port: int) -> Iterator[tuple[str, str]]:
    """Yield what there is to try in a folder of the demo, each with its address.

    An empty store, such as a new one on PostgreSQL, gets the sample's campaigns.
    """
    home = address(host, port, settings.root_path)
    desk = Desk.open(settings)
    try:
        prepare(desk.store)
        yield "sign in as admin", _sign_in(desk, home, replaces=True)
        if any(campaign.name == TRIAL for campaign in desk.store.campaigns()):
            yield "answer tasks as annotator", f"{home}join/{desk.access.invite(TRIAL, None).token}"
        name, article = MODERATED
        for file in desk.library.newsroom():
            if file.name == name:
                yield "moderate a thread, as admin", f"{home}comments/{file.id}/{slug(article)}"
        yield "read the report, as admin", f"{home}studies/reports/{REPORT}"
    finally:
        desk.close()
