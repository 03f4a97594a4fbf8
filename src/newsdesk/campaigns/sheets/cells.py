"""Encode text for cells and decode it: any text survives a round trip, or says how much was cut.

XML has no place for control characters, lone surrogates and a few others, and a spreadsheet reads a lone carriage return as it likes. The
workbook format writes such a character as `_xHHHH_` and shows it as the character; an underscore that would begin such a sign by
accident is written that way, too. A cell ends at 32,767 UTF-16 units: a longer text is cut and says by how many characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote

LIMIT = 32_767
_CUT = " do not fit in a cell]"
_LONGEST_LINK = 2_000  # Excel takes 2,079

# The second half does not ask for the closing underscore: the next character may bring one when it is written.
_UNFIT = re.compile(
    "[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|_(?=x[0-9A-Fa-f]{4})",
)
_SIGN = re.compile("_x([0-9A-Fa-f]{4})_")
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")
_RISKY = re.compile(r"[\s\ufeff]*['=+\-@＝＋－＠]|[\d\s.,:/%-]+\Z")
_WEB = re.compile(r"https?://[^\s/?#]", re.IGNORECASE)


def encode(text: str) -> str:
    r"""Escape what XML cannot hold as `_xHHHH_`.

    >>> encode("a bell\x07 and _x0041_")
    'a bell_x0007_ and _x005F_x0041_'
    """
    return _UNFIT.sub(lambda unfit: f"_x{ord(unfit[0]):04X}_", text)


def decode(cell: str) -> str:
    """Undo `encode`: the text of a cell."""
    if "_x" not in cell:
        return cell
    return _SIGN.sub(lambda sign: chr(int(sign[1], 16)), cell)


def fit(text: str, task: str, encoded: Callable[[str], str] = encode) -> str:
    """Return the encoded text, cut with a note if it exceeds a cell.

    `task` is the number the annotator sees.

    >>> fit("x" * 40_000, "7-5f0c")[-66:]
    '… [cut: 7,300 more characters of task 7-5f0c do not fit in a cell]'
    """
    cell = encoded(text)
    if len(cell) * 2 <= LIMIT or _units(cell) <= LIMIT:
        return cell
    room = LIMIT - _units(_note(len(text), task))
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        if _units(encoded(text[:middle])) <= room:
            low = middle
        else:
            high = middle - 1
    return encoded(text[:low]) + _note(len(text) - low, task)


def is_cut(cell: str) -> bool:
    """Return True if `fit` has cut the text of this cell."""
    return cell.endswith(_CUT)


def _note(missing: int, task: str) -> str:
    return f"… [cut: {missing:,} more characters of task {task}{_CUT}"


def _units(cell: str) -> int:
    return len(cell.encode("utf-16-le")) // 2


def readings(cell: str) -> tuple[str, str]:
    """Return the texts that may be read back from a written cell.

    As written, and after Excel has saved it.

    openpyxl drops every `x005F_` from the table of strings that Excel makes, so that there `_x0041_` and `A` look alike.
    """
    return decode(cell), decode(cell.replace("x005F_", ""))


def plain(text: str) -> str:
    """Return the text for a CSV field.

    Line breaks are LF, and characters that nobody sees, some of which no file can hold, are left out.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub(lambda run: "".join(each for each in run[0] if each in "\t\n"), text)


@lru_cache(maxsize=1024)  # the rows of a task repeat its context
def comparable(text: str) -> str:
    """Return the text without white space and control characters, which spreadsheets change."""
    text = "".join(text.split())
    return text if text.isprintable() else _UNSEEN.sub("", text)


def guard(cell: str) -> str:
    """Prefix an apostrophe to a CSV field that could be taken for a formula, a number or a date."""
    return f"'{cell}" if _RISKY.match(cell) else cell


def unguard(field: str) -> str:
    """Undo `guard`: remove the apostrophe."""
    return field.removeprefix("'")


def link(url: str) -> str | None:
    """Return a percent-encoded http or https link that is safe to open; None for any other URL."""
    if not _WEB.match(url):
        return None
    try:
        target = quote(url, safe=":/?#[]@!$&'()*+,;=%~")
    except UnicodeEncodeError:
        return None
    return target if len(target) <= _LONGEST_LINK else None


def column_number(letters: str) -> int:
    """Return the 0-based place of a column of a spreadsheet.

    >>> column_number("A"), column_number("AA")
    (0, 26)
    """
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
