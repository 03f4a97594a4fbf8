"""Which sentences of a cluster can stand in a summary by themselves: no fragments, orphan quotes, captions or page furniture.

ROUGE does not punish a headline without a verb, half of a quotation or "Share this on Facebook", and a search for its maximum finds them. The
rules are those of a copy editor, without a parser: a sentence begins with a capital, ends with a final mark, has a verb, closes the quotation marks that it opens
and says who speaks. Marks are checked in every script, capitals only in Latin script, verbs in English. `furniture_en.txt` has the forms of captions and page furniture.

Which sentences of a page are not part of its story: calls to the reader, remarks of the page about itself, credits, captions, editors' notes.

Text that is extracted from web pages keeps some of them, and they look like sentences. No publisher is named: the forms in `data/furniture_en.txt` are those of any page. What a page says to its
reader is an imperative or a second person with a word of the web ("Sign up for …", "your browser"); what it says about itself has "this story" or "this page"; credits
and captions have formulas of their own ("contributed to this report", "in this photo", "second from left"). Words inside quotation marks are spoken by
somebody and are not looked at. For Chinese and Japanese there is a list of phrases.

Where a sentence really begins: after a dateline ("LONDON (Reuters) - "), an agency's mark, or a headline glued to it.

A place in capitals with a dash or colon is a dateline only at the beginning of an article; with a known agency in parentheses it is one anywhere, because
pages put captions and notes before the report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from newsdesk.packaged import sections, table

_AGENCIES = (
    r"AP|Reuters|AFP|CNN|CNNMoney|UPI|ANI|IANS|PTI|Xinhua|dpa|dpa-AFX|BBC|CBS News|CBS|NBC|ABC|FOX|"
    r"Bloomberg|TASS|Interfax|RT|Sputnik|APP|Anadolu|KYODO|Kyodo|CN|CP|AAP|PA|EFE|ANSA|Reuters Health|"
    r"[A-Z][A-Za-z]+(?:\.com|\.COM)?/(?:AP|Reuters|AFP)"
)
_ANY_AGENCY = r"\((?:[A-Z][\w.&/ ]{1,30}|dpa[\w-]*)\)"
_KNOWN_AGENCY = rf"\((?:{_AGENCIES})\)"
_DATE = r"(?:,? [A-Z][a-z]{2,8}\.? \d{1,2})?"
_REGION = r"(?:, [A-Z][\w.]+(?: [A-Z][\w.]+)?)?"
_PLACE_NAME = rf"[A-Z][A-Z.'’-]+(?:[ /][A-Z][A-Z.'’-]+){{0,3}}{_REGION}{_DATE}"
_NAME = rf"[A-Z][a-z]+(?: [A-Z][a-z]+)?{_REGION}{_DATE}"
_DASH = r"(?:—|–|--|-)"
_BEGINS = r"(?=[A-Z“\"\x00\d])"

_FIRST = re.compile(
    rf"^\W{{0,2}}(?:{_PLACE_NAME} {_ANY_AGENCY}\s*(?:{_DASH}|:)*\s+|{_PLACE_NAME}\s*(?:{_DASH}|:)+\s+"
    rf"|{_NAME} {_ANY_AGENCY}\s*{_DASH}*\s*|{_ANY_AGENCY}\s*{_DASH}*\s*){_BEGINS}"
)
_ANYWHERE = re.compile(
    rf"^\W{{0,2}}(?:(?:(?:{_PLACE_NAME}|{_NAME}) )?{_KNOWN_AGENCY}\s*{_DASH}*\s*|{_PLACE_NAME} ?(?:—|--) ){_BEGINS}"
)
_GLUE = re.compile(r"\s[\s:|–—-]*(?=[A-Z“\"])")
_SHORTEST_HEADLINE = 3


# Forms that only the display takes for datelines. A bare hyphen needs spaces ("PML-N" is a name); behind the first sentence "NAIROBI: " is one unless somebody speaks.
_TURN = r"(?:\s+-\s+|\s?(?:—|–|--|:|>>)+\s*)"
_SHOWN = re.compile(
    rf"^\W{{0,2}}(?:{_NAME} ?(?:—|–|--|:) ?|(?:{_NAME}|{_PLACE_NAME})(?: {_ANY_AGENCY})+{_TURN}?|{_PLACE_NAME}{_TURN}){_BEGINS}"
)
_SHOWN_LATER = re.compile(
    rf"^\W{{0,2}}(?:{_PLACE_NAME}(?: {_ANY_AGENCY})*\s*(?:—|–|--|>>)+\s+|(?=[A-Z]{{4}}){_PLACE_NAME}:\s+){_BEGINS}"
)
_SPEECH = re.compile(r"\b(?:I|[Yy]ou|[Ww]e|my|What|How|Can|Well|Do|Did)\b|\?")
# A headline, a byline or the length of a video that was glued to the dateline.
_BEFORE = re.compile(
    rf"^(?:[^.!?]{{8,250}}?[a-z0-9'’”)] {_PLACE_NAME} {_KNOWN_AGENCY}|\(\d{{1,2}}:\d\d\) {_PLACE_NAME})\s*{_DASH}+\s*{_BEGINS}"
)
_AGENCY_MARK = re.compile(rf"\s*{_KNOWN_AGENCY}\s*{_DASH}*(?=\s|[.,;]|$)")


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
        elif not _SPEECH.search(text):
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
    if len(title.split()) < _SHORTEST_HEADLINE or not text.startswith(title):
        return 0
    match = _GLUE.match(text, len(title))
    return match.end() if match else 0


_QUOTED = re.compile(r'"[^"]*"|“[^”]*”')
_SPEAKER = re.compile(r"^\W*[A-Z][\w.'’-]*(?:,? [A-Z][\w.'’-]+){0,3} ?: ")
_TALK = re.compile(r"\b(?:I|you|[Yy]our|[Ww]e|my|me|Did|Do|What|How|Yes|Yeah|Well|Okay)\b")
_PHRASE = "a phrase of page furniture"


def furniture(text: str, *, latin: bool = True) -> str:
    """Return what a sentence is if it is not part of the story; empty if nothing speaks against it.

    >>> furniture("Sign up for our newsletter.")
    'the page speaks to its reader'
    """
    if not latin:
        return _PHRASE if _phrases("boilerplate_cjk.txt").search(text) else ""
    unquoted = _QUOTED.sub('""', text)
    for kind, forms in _forms().items():
        if any(finds(unquoted) for finds in forms):
            return kind
    if (label := _SPEAKER.match(unquoted)) and _TALK.search(unquoted, label.end()):
        return "a transcript"
    plain = " ".join(unquoted.lower().split())
    phrases = table("summarizers", "boilerplate_en.txt")
    return _PHRASE if any(phrase in plain for phrase in phrases) else ""


@cache
def _forms() -> dict[str, list[Callable[[str], object]]]:
    """Return for each kind of furniture the functions that find its forms in a text.

    The words that forms share are filled in. Forms of a beginning are not searched for anywhere else, which takes a third of the time.
    """
    parts = dict(sections("summarizers", "furniture_en.txt"))
    words: dict[str, str] = {}
    for line in parts.pop("words"):
        name, _, form = line.partition(" = ")
        words[name] = _filled(form, words)
    return {
        kind: [_finder(_filled(line, words)) for line in lines] for kind, lines in parts.items()
    }


def _finder(form: str) -> Callable[[str], object]:
    pattern = re.compile(form)
    return pattern.match if form.startswith("^") else pattern.search


def _filled(form: str, words: dict[str, str]) -> str:
    for name, value in words.items():
        form = form.replace(f"{{{name}}}", value)
    return form


@cache
def _phrases(name: str) -> re.Pattern[str]:
    phrases = (re.escape(each).replace(r"\ ", r"\s+") for each in table("summarizers", name))
    return re.compile("|".join(phrases), re.IGNORECASE)


FINAL = ".!?。．！？।؟…"
_CLOSING = "\"'”’»)]」』）"
_END = re.compile(rf"[{re.escape(FINAL)}][{re.escape(_CLOSING)}\s]*$")
_TRAILING_OFF = re.compile(rf"(?:\.\s?\.\s?\.|…)[{re.escape(_CLOSING)}\s]*$")
_LOWER_START = re.compile(r"^[^\w]*[a-z](?![A-Z])")  # iPhone and eBay are names
_CAPITALS = re.compile(r"[A-Z]")
_LETTERS = re.compile(r"[A-Za-z]")
_DAMAGED = re.compile(r"[a-z]\?[a-z]| \?[a-z]|\ufffd")  # "the court?s": a character that was lost
_ENGLISH = re.compile(r"\b(?:the|of|at|by|with|from|for|to|not|on|against|after|during)\b")
# Whatever could be a verb: a past tense, a third person (or a plural, whose verb has no ending), a contraction.
_MAY_BE_VERB = re.compile(r"\b[A-Za-z][a-z]*(?:ed|[^su\W]s)\b|['’](?:s|re|ve|ll|d|m)\b|n['’]t\b")
_WORD = re.compile(r"[a-z]+")
# A line that ends in a comma or in one of these broke off: the sentence that follows is its rest.
_GOES_ON = frozenset(
    "a an the of and or to in at on for by with from as that is was were are his her its their".split()
)
_INSIDE = "inside a quotation"
_PAIRS = (("“", "”"), ("「", "」"), ("『", "』"), ("«", "»"))
_ANY_MARK = re.compile("[\"“”「」『』«»'‘’]")
_MARK = re.compile('["“”「」『』«»]')
_BEGINS_QUOTED = re.compile(r'^\s*["“]')
# British papers quote in single marks; inside a word, or after a plural, the same character is an apostrophe.
_SINGLE_OPENS = re.compile(r"^\s*['‘](?=[A-Z])(?!.*['’](?:[\s,.;:!?)]|$))")
_SINGLE_CLOSES = re.compile(r"[.,!?]['’](?=\s|$)")
_WHOLLY_SINGLE = re.compile(r"^['‘](?=[A-Z])(?:(?!['’][\s,.;:!?)]).)*[.!?]['’]$")
_SINGLE_OPENING = re.compile(
    r"(?:^|[\s(\[“\"—–-])['‘’](?=\S)"
)  # some pages open with the closing mark
_LONGEST_QUOTATION = 8  # sentences; an opening mark without a closing one by then is a slip
_FEWEST_TITLE_WORDS = 5
_LOUD = 0.6  # share of capitals in a headline that shouts


def fault(text: str, *, latin: bool = True) -> str:
    """Return why a sentence cannot stand alone, judged by itself; empty if it can.

    >>> fault("internationally known for its beaches.")
    'fragment: begins in lower case'
    """
    if not balanced(text):
        return "orphan quote: a quotation mark without its partner"
    if _wholly_quoted(text):
        return "orphan quote: nobody speaks"
    if reason := _fragment(text, latin=latin):
        return f"fragment: {reason}"
    kind = furniture(text, latin=latin)
    return f"page furniture: {kind}" if kind else ""


def faults_in_article(texts: Sequence[str]) -> list[str]:
    """Return why each sentence of an article cannot stand alone, judged by those around it; or "".

    >>> faults_in_article(["He met Carter Page, a", "US citizen who lives there."])
    ['', 'fragment: the rest of a line that broke off']
    """
    reasons = [_INSIDE if inside else "" for inside in inside_quotation(texts)]
    for at in range(1, len(texts)):
        if _breaks_off(texts[at - 1]):
            reasons[at] = reasons[at] or "fragment: the rest of a line that broke off"
    return reasons


def balanced(text: str) -> bool:
    """Return True if every quotation mark has its partner; a straight mark after a digit is inches."""
    text = text.replace("''", '"')
    if _SINGLE_OPENS.match(text) or _single_closes(text):
        return False
    if not _MARK.search(text):
        return True
    straight = len(re.findall(r'(?<!\d)"', text)) if text.count('"') % 2 else 0
    return straight % 2 == 0 and all(
        text.count(opening) == text.count(closing) for opening, closing in _PAIRS
    )


def inside_quotation(texts: Sequence[str]) -> list[bool]:
    """Return which sentences of an article stand within a quotation that another one opened.

    >>> inside_quotation(['He said: "Go.', "Nobody stays.", 'Not one."', "They went."])
    [False, True, False, False]
    """
    flags = [False] * len(texts)
    opened: int | None = None  # the sentence with the last opening mark
    for at, raw in enumerate(texts):
        text = raw.replace("''", '"')  # some pages type the mark as two apostrophes
        if opened is None and not _ANY_MARK.search(text):
            continue
        opens, closes = _opens(text), _closes(text)
        if opened is not None and at - opened > _LONGEST_QUOTATION:
            opened = None
        # Each paragraph of a long quotation begins with a mark, and only the last one ends with one.
        goes_on = opened is not None and bool(_BEGINS_QUOTED.match(text))
        if opened is not None and (closes or goes_on):
            flags[opened + 1 : at] = [True] * (at - opened - 1)
            opened = at if goes_on and opens else None
        elif opens:
            opened = at
    return flags


def _breaks_off(text: str) -> bool:
    if text[-1:] in FINAL:
        return False
    return text.endswith(",") or not _GOES_ON.isdisjoint(text.rsplit(None, 1)[-1:])


def _opens(text: str) -> bool:
    if text.count('"') % 2 or _SINGLE_OPENS.match(text):
        return True
    return any(text.count(opening) > text.count(closing) for opening, closing in _PAIRS)


def _closes(text: str) -> bool:
    if text.count('"') % 2 or _single_closes(text):
        return True
    return any(text.count(closing) > text.count(opening) for opening, closing in _PAIRS)


def stray_single_marks(text: str) -> list[int]:
    """Return where single marks stand without a partner: "A joke,' he said."

    >>> stray_single_marks("A joke,' he said.")
    [7]
    """
    if match := _SINGLE_OPENS.match(text):
        return [match.end() - 1]
    return (
        [match.end() - 1 for match in _SINGLE_CLOSES.finditer(text)] if _single_closes(text) else []
    )


def _single_closes(text: str) -> bool:
    """Return True if a single mark closes a quotation that the sentence did not open: "A joke,' he said."."""
    return _SINGLE_CLOSES.search(text) is not None and not _SINGLE_OPENING.search(text)


def _wholly_quoted(text: str) -> bool:
    """Return True if a sentence is one quotation and nothing else, so that nobody says it."""
    body = text.strip()
    if len(body) < 2:
        return False
    if body[0] == '"' and body[-1] == '"':
        return body.count('"') == 2
    if _WHOLLY_SINGLE.match(body):
        return True
    return any(
        body[0] == opening and body[-1] == closing and body.count(opening) == 1
        for opening, closing in _PAIRS
    )


def _fragment(text: str, *, latin: bool) -> str:
    """Return why a text is no whole sentence; empty if it is one."""
    if _TRAILING_OFF.search(text):
        return "trails off"
    if not _END.search(text):
        return "no final mark"
    if not latin:
        return ""
    if _LOWER_START.match(text):
        return "begins in lower case"
    letters = len(_LETTERS.findall(text))
    if letters and len(_CAPITALS.findall(text)) > _LOUD * letters:
        return "all in capitals"
    if _DAMAGED.search(text):
        return "damaged characters"
    if _in_title_case(text):
        return "a headline"
    body = text.strip()
    if body[0] == "(" and body[-1] == ")":
        return "a parenthesis"
    return "no verb" if _verbless(text) else ""


def _in_title_case(text: str) -> bool:
    """Return True if a sentence of some length capitalizes every word, "There’s An App For That!"."""
    words = [word for word in text.split() if word[:1].isalpha()]
    return len(words) >= _FEWEST_TITLE_WORDS and all(word[0].isupper() for word in words)


def _verbless(text: str) -> bool:
    """Return True if an English sentence surely has no verb; speech is left alone."""
    if _MARK.search(text) or _MAY_BE_VERB.search(text) or not _ENGLISH.search(text):
        return False
    return _verbs().isdisjoint(_WORD.findall(text.lower()))


@cache
def _verbs() -> frozenset[str]:
    """Verbs that have no ending, and words that can have such a verb beside them."""
    return frozenset(
        (*table("summarizers", "verbs_en.txt"), *table("summarizers", "verb_hints_en.txt"))
    )
