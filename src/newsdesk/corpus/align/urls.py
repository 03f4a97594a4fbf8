"""One key for all spellings of an address, so that a cited source is recognised among crawled pages."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_ARCHIVED = re.compile(r"https?://web\.archive\.org/web/\d+[a-z_]*/(?=https?:)", re.IGNORECASE)
_TRACKING = re.compile(r"(utm_[^=&]*|fbclid|gclid)(=|$)", re.IGNORECASE)


def url_key(url: str) -> str:
    """An address without scheme, `www.`, default port, trailing slash, tracking parameters and fragment, its host lower-cased.

    A copy in the Wayback Machine counts as the page that it is a copy of. The path keeps its case, and other parameters their order.

    >>> url_key("HTTPS://www.Example.org:443/a/B/?utm_source=x&id=3#top")
    'example.org/a/B?id=3'
    >>> url_key("https://web.archive.org/web/20190501000000/http://example.org/a")
    'example.org/a'
    """
    bare = _ARCHIVED.sub("", url.strip())
    if "://" not in bare:
        bare = f"//{bare.removeprefix('//')}"
    try:
        parts = urlsplit(bare)
    except ValueError:  # such as an unclosed bracket: no page has this address
        return url.strip()
    host = parts.netloc.rpartition("@")[2].lower()
    host = host.removesuffix(":80").removesuffix(":443").removeprefix("www.")
    query = "&".join(each for each in parts.query.split("&") if each and not _TRACKING.match(each))
    path = parts.path.rstrip("/")
    return f"{host}{path}?{query}" if query else f"{host}{path}"
