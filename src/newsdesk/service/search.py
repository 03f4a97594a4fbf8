"""Full-text search in SQLite files that jobs write once: texts as they are indexed, queries as they are matched.

Characters of Chinese and Japanese are indexed one by one and looked up as phrases, since no space tells their words apart.
"""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

WORDS = """CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize="unicode61 remove_diacritics 2");"""
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def opened(path: Path) -> sqlite3.Connection:
    """Open a file that is not written any more, for reading in one thread at a time."""
    address = f"file:{path}?mode=ro&immutable=1"
    return sqlite3.connect(address, uri=True, check_same_thread=False)


def spaced(text: str) -> str:
    """Return a text with spaces around each character of a script without spaces.

    >>> spaced("最低 wage")
    ' 最  低  wage'
    """
    return _UNSPACED.sub(r" \g<0> ", text)


def matching(query: str) -> str:
    """Return what `words MATCH` takes to find texts with all words of a query; empty where it has no word.

    >>> matching('最低 "wage" !')
    '" 最  低 " "wage"'
    """
    words = query.replace('"', " ").split()
    return " ".join(f'"{spaced(word)}"' for word in words if any(map(str.isalnum, word)))
