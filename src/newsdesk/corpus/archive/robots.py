"""robots.txt after RFC 9309: the rules of the group that names us, or of `*`, where the longest pattern that matches decides.

Python's own parser takes the first rule that matches and knows no wildcards. `Crawl-delay`, which is no part of the RFC, is read as a
lower bound on the interval between requests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

_MOST_BYTES = 512_000  # the RFC asks for at least 500 KiB


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules for one visitor of a host: (allow, pattern), and the delay between requests that it asks for."""

    rules: tuple[tuple[bool, str], ...] = ()
    delay_s: float = 0.0

    def allows(self, url: str) -> bool:
        """Whether an address may be asked.

        >>> rules = parse_robots("User-agent: *\\nDisallow: /web/\\nAllow: /web/*/news", "newsdesk")
        >>> rules.allows("http://a.example/web/1/news"), rules.allows("http://a.example/web/1")
        (True, False)
        """
        parts = urlsplit(url)
        path = unquote(parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        matching = [(len(each), allow) for allow, each in self.rules if _matches(each, path)]
        return max(matching)[1] if matching else True  # of equal lengths, the one that allows


FORBIDDING = Robots(((False, "/"),))


def parse_robots(text: str, agent: str) -> Robots:
    """The rules of a robots.txt for a visitor of this name."""
    groups: dict[str, tuple[list[tuple[bool, str]], list[float]]] = {}
    names: list[str] = []
    open_group = False
    for line in text[:_MOST_BYTES].splitlines():
        field, _, value = line.partition("#")[0].partition(":")
        field, value = field.strip().lower(), value.strip()
        if field == "user-agent":
            names = [*names, value.lower()] if open_group else [value.lower()]
            open_group = True
            groups.setdefault(value.lower(), ([], []))
            continue
        open_group = open_group and not field
        for name in names:
            rules, delays = groups[name]
            if field in ("allow", "disallow") and value:
                rules.append((field == "allow", unquote(value)))
            elif field == "crawl-delay" and re.fullmatch(r"\d+(\.\d+)?", value):
                delays.append(float(value))
    rules, delays = groups.get(agent.lower()) or groups.get("*") or ([], [])
    return Robots(tuple(rules), max(delays, default=0.0))


def _matches(pattern: str, path: str) -> bool:
    """Whether a path begins as a pattern says, where `*` is any text and `$` the end; linear in both, whatever a host sends."""
    ends = pattern.endswith("$")
    first, *others = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    place = len(first)
    last = others.pop() if ends and others else None
    for part in others:
        place = path.find(part, place)
        if place < 0:
            return False
        place += len(part)
    if last is not None:
        return len(path) - len(last) >= place and path.endswith(last)
    return not ends or place == len(path)
