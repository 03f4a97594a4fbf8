"""Where a sentence really begins: after a dateline ("LONDON (Reuters) - "), an agency's mark, or a headline glued to it.

A place in capitals with a dash or colon is a dateline only at the beginning of an article; with a known agency in parentheses it is one anywhere, because
pages put captions and notes before the report.
"""

from __future__ import annotations

import re

_AGENCIES = (
    r"AP|Reuters|AFP|CNN|CNNMoney|UPI|ANI|IANS|PTI|Xinhua|dpa|dpa-AFX|BBC|CBS News|CBS|NBC|ABC|FOX|"
    r"Bloomberg|TASS|Interfax|RT|Sputnik|APP|Anadolu|KYODO|Kyodo|CN|CP|AAP|PA|EFE|ANSA|Reuters Health|"
    r"[A-Z][A-Za-z]+(?:\.com|\.COM)?/(?:AP|Reuters|AFP)"
)
_ANY_AGENCY = r"\((?:[A-Z][\w.&/ ]{1,30}|dpa[\w-]*)\)"
_KNOWN_AGENCY = rf"\((?:{_AGENCIES})\)"
_DATE = r"(?:,? [A-Z][a-z]{2,8}\.? \d{1,2})?"
_REGION = r"(?:, [A-Z][\w.]+(?: [A-Z][\w.]+)?)?"
_CAPITALS = rf"[A-Z][A-Z.'’-]+(?:[ /][A-Z][A-Z.'’-]+){{0,3}}{_REGION}{_DATE}"
_NAME = rf"[A-Z][a-z]+(?: [A-Z][a-z]+)?{_REGION}{_DATE}"
_MARK = r"(?:—|–|--|-)"
_BEGINS = r"(?=[A-Z“\"\x00\d])"

_FIRST = re.compile(
    rf"^\W{{0,2}}(?:{_CAPITALS} {_ANY_AGENCY}\s*(?:{_MARK}|:)*\s+|{_CAPITALS}\s*(?:{_MARK}|:)+\s+"
    rf"|{_NAME} {_ANY_AGENCY}\s*{_MARK}*\s*|{_ANY_AGENCY}\s*{_MARK}*\s*){_BEGINS}"
)
_ANYWHERE = re.compile(
    rf"^\W{{0,2}}(?:(?:(?:{_CAPITALS}|{_NAME}) )?{_KNOWN_AGENCY}\s*{_MARK}*\s*|{_CAPITALS} ?(?:—|--) ){_BEGINS}"
)
_GLUE = re.compile(r"\s[\s:|–—-]*(?=[A-Z“\"])")
_FEWEST_TITLE_WORDS = 3


# Forms that only the display takes for datelines. A bare hyphen needs spaces ("PML-N" is a name); behind the first sentence "NAIROBI: " is one unless somebody speaks.
_TURN = r"(?:\s+-\s+|\s?(?:—|–|--|:|>>)+\s*)"
_SHOWN = re.compile(
    rf"^\W{{0,2}}(?:{_NAME} ?(?:—|–|--|:) ?|(?:{_NAME}|{_CAPITALS})(?: {_ANY_AGENCY})+{_TURN}?|{_CAPITALS}{_TURN}){_BEGINS}"
)
_SHOWN_LATER = re.compile(
    rf"^\W{{0,2}}(?:{_CAPITALS}(?: {_ANY_AGENCY})*\s*(?:—|–|--|>>)+\s+|(?=[A-Z]{{4}}){_CAPITALS}:\s+){_BEGINS}"
)
_TALK = re.compile(r"\b(?:I|[Yy]ou|[Ww]e|my|What|How|Can|Well|Do|Did)\b|\?")
# A headline, a byline or the length of a video that was glued to the dateline.
_BEFORE = re.compile(
    rf"^(?:[^.!?]{{8,250}}?[a-z0-9'’”)] {_CAPITALS} {_KNOWN_AGENCY}|\(\d{{1,2}}:\d\d\) {_CAPITALS})\s*{_MARK}+\s*{_BEGINS}"
)
_AGENCY_MARK = re.compile(rf"\s*{_KNOWN_AGENCY}\s*{_MARK}*(?=\s|[.,;]|$)")


def dateline_end(text: str, *, first: bool, display: bool = False) -> int:
    """Return the number of characters of the dateline that a sentence begins with; 0 if there is none.

    With `display` looser forms ("Jakarta: ") count too, and what stands before one.

    >>> dateline_end("LONDON (Reuters) - The pound fell.", first=True)
    19
    """
    match = (_FIRST.match(text) if first else None) or _ANYWHERE.match(text)
    if match is None and display:
        if first:
            match = _SHOWN.match(text) or _BEFORE.match(text)
        elif not _TALK.search(text):
            match = _SHOWN_LATER.match(text)
    return match.end() if match else 0


def without_agencies(text: str) -> str:
    """Return the text without the names of news agencies in parentheses."""
    return _AGENCY_MARK.sub("", text)


def is_agency(text: str) -> bool:
    """Return True if a text is the name of a news agency in parentheses."""
    return re.fullmatch(_KNOWN_AGENCY, text) is not None


def headline_end(text: str, title: str) -> int:
    """Return the number of characters of an article's title that was glued to its first sentence.

    0 if there is none.
    """
    title = " ".join(title.split())
    if len(title.split()) < _FEWEST_TITLE_WORDS or not text.startswith(title):
        return 0
    match = _GLUE.match(text, len(title))
    return match.end() if match else 0
