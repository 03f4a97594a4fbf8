"""The published files of Qin et al. (2018), Automatic Article Commenting, read as threads.

An object a line: `channel`, `title`, `url`, and `comment`, a list of [text, up-votes], in the test file of [text, up-votes, score]. Words are separated by
blanks; the contents of articles are not included. `tencent` joins the words again, so that every tokenizer cuts texts of this file and others alike; `tencent-words`
keeps them as ready tokens, in the language `zh-x-words`, whose tokenizer is `space`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date

from newsdesk.errors import DataError
from newsdesk.languages import READY_CHINESE
from newsdesk.records.comments.cells import comment_of, text_of
from newsdesk.records.comments.grouping import Account, Lines
from newsdesk.records.kinds import Seen
from newsdesk.records.schema import Json, parse_line
from newsdesk.types import Article, Comment, Thread

_KEYS = ("channel", "comment", "title", "url")
_SPACED = (
    "!-~\u00c0-\u024f\u0370-\u052f"  # letters and signs of scripts that are written with blanks
)
_NO_BLANK = re.compile(f"(?<![{_SPACED}]) | (?![{_SPACED}])")
_DAY = re.compile(r"(?<![0-9])(20[0-9]{2})([01][0-9])([0-3][0-9])")
_ARTICLE = re.compile(r"/([0-9]{8}[0-9A-Z]+)(?:\.s?html?)?/?\Z")


def is_tencent(row: Mapping[str, Json]) -> bool:
    """Return True if an object is a line of the published files.

    >>> is_tencent({"channel": "ent", "comment": [["好 看", 3]], "title": "新 剧", "url": "http://a.example/1"})
    True
    """
    return isinstance(row.get("comment"), list) and all(key in row for key in _KEYS)


def joined_words(text: str) -> str:
    """Return text whose words are separated by blanks as it is written.

    Blanks stay between words of scripts that have them.

    >>> joined_words("我 爱 iPhone 8 Plus ， 你 呢 ？")
    '我爱iPhone 8 Plus，你呢？'
    """
    return _NO_BLANK.sub("", ready_words(text))


def ready_words(text: str) -> str:
    """Return text with single blanks between its words.

    >>> ready_words(" 我  爱 你 ")
    '我 爱 你'
    """
    return " ".join(text.split())


def read_tencent(
    lines: Lines, account: Account, *, words: bool = False
) -> Iterator[tuple[int, Thread]]:
    """Yield the thread of each line; with `words` their texts stay ready tokens.

    What cannot be read is counted in the account.
    """
    written = ready_words if words else joined_words
    lang = READY_CHINESE if words else "zh"
    seen = Seen()
    for number, line in lines:
        try:
            row = parse_line(line)
            article = _article(row, written, lang)
            if not seen.add(article.id):
                raise DataError("an article with the address of another")
        except DataError as error:
            account.reject(error.reason, number)
            continue
        account.ignored.update(key for key in row if key not in _KEYS)
        comments = tuple(_comments(article.id, row["comment"], number, written, account))
        yield number, Thread(article, comments)


def _article(row: Mapping[str, Json], written: Callable[[str], str], lang: str) -> Article:
    """Return the article of an object: without text, its id and its day from its address."""
    url = text_of(row, "url")
    if url is None:
        raise DataError("no `url`")
    if not isinstance(row.get("comment"), list):
        raise DataError("`comment` is not a list")
    match = _ARTICLE.search(url)
    day = _day(url)
    return Article(
        match[1] if match else re.sub(r"\Ahttps?://", "", url),
        "",
        title=written(text_of(row, "title") or "") or None,
        url=url,
        date=day,
        lang=lang,
        category=text_of(row, "channel"),
        date_source="url" if day else None,
    )


def _day(url: str) -> str | None:
    """Return the day that an address names; None where it names none."""
    for match in _DAY.finditer(url):
        try:
            return date(*map(int, match.groups())).isoformat()
        except ValueError:
            continue
    return None


def _comments(
    article: str,
    items: list[Json],
    number: int,
    written: Callable[[str], str],
    account: Account,
) -> Iterator[Comment]:
    for position, item in enumerate(items):
        cells = item if isinstance(item, list) else [item]
        if not (1 <= len(cells) <= 3 and isinstance(cells[0], str)):
            account.reject("a comment is not [text, up-votes] or [text, up-votes, score]", number)
            continue
        text, likes, score = (*cells, None, None)[:3]
        try:
            yield comment_of(
                {"text": written(text), "likes": likes, "score": score},
                f"{article}/{position}",
                None,
            )
        except DataError as error:
            account.reject(error.reason, number)
