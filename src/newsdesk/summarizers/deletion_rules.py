"""The rules of shortening: patterns of English modifiers that a sentence can lose, without a parser.

Each rule takes a sentence whose quotations are masked by NUL characters, and yields spans that can go. What may stay and what must is decided around the span: the verb of the
sentence has to follow an insertion, a clause at the end needs a main clause before it, a weekday a past tense. All were read on real sentences; every
bad case met is a test (tests/summarizers/test_shortening.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from newsdesk.packaged import table
from newsdesk.summarizers.readable import is_agency

MASK = "\x00"

_DAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_PART = r"(?: (?:morning|afternoon|evening|night))?"

_NOT_PART = r"(?! (?:morning|afternoon|evening|night))"
_ON_DAY = re.compile(rf",? on {_DAY}{_PART}{_NOT_PART}(?=[.;,]| [a-z])")
_BARE_DAY = re.compile(rf"(?<=[a-z])(?: early| late)? {_DAY}{_PART}{_NOT_PART}(?=[.;,]| [a-z])")
# "the order, signed Friday, was", "a statement issued Friday.": what stays would hang in the air.
_CLIPPED = re.compile(
    r", [a-z]+$| (?:released|issued|published|posted|held|signed|dated|aired|broadcast|announced|confirmed|reported|recorded|taken|made|filed|obtained)$"
)
_HANGING = re.compile(r"^[^,]*(?:announced|confirmed)$")  # "a deal announced Monday."
_SAID_DAY = re.compile(
    rf"(?:(?<=\bsaid)|(?<=\btold reporters)|(?<=(?<!be )announced)|(?<=(?<!be )confirmed))(?: on| early| late)? {_DAY}{_PART}{_NOT_PART}"
    r"(?=[.;]|, [a-z]| (?:that|it|he|she|they|we|there|the|an?|his|her|its|their|in|at|after)\b)"
)
_LEADING_DAY = re.compile(
    rf"^(?:On|(?:Early|Late|Later|Earlier)(?: on)?) {_DAY}{_PART}, (?=[a-zA-Z])"
)
_DAY_NAME = re.compile(rf"\b{_DAY}s?\b")
_DATE_WORD = re.compile(
    r" (?:the|a|an|this|last|next|every|each|by|since|until|till|from|before|after|of|for|through|to|and|or|per|between|past|than|as|following|previous|on|late|early|later|earlier|only|again|"
    r"coming|super|black|good|easter|ash|palm|cyber|giving|holy|bloody|fat|shrove|maundy|that|first|second|is|was|in|with|including|starting|beginning|attending|held)$",
    re.IGNORECASE,
)
# What may follow a weekday that is deleted: no noun, which the day would describe, no second date.
_AFTER_DAY = re.compile(
    r"^(?:[.;]|, (?!\d)(?![A-Z][a-z]{2,8}\.? \d)|$)"
    r"| (?:in|at|on|to|for|with|by|from|over|near|against|during|amid|into|outside|inside|off|across|throughout|under|between|among|about|as|after|before|following|while|when|hours|it|he|she|they|we|his|her|their|its|a|an|"
    r"[a-z]+ed|was|were|has|had|said|told|pending)\b"
)
_FUTURE = re.compile(
    r"\b(?:to be|will|would|may|might|could|should|can|must|shall|going|due|scheduled|plans?|planned|planning|expected|set|ahead|upcoming|not|never|no|until|till|since|every)\b|n['’]t\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:\w+ed|was|were|had|did|said|told|came|went|took|made|met|won|lost|shot|killed|held|found|fell|left|began|struck|hit|gave|got|ran|saw|sent|led|rose|broke|became|wrote|spoke|stood|sold|flew)\b"
)
_PARENTHESIS = re.compile(r" \((?!(?:[a-z]|[\d -]+)\))[^()]{2,120}\)(?!\s*(?:--|[-–—:]))")
_HEDGE = re.compile(
    r" \((?:albeit|though|although|but|or|if|even|mostly|partly|largely|sometimes|often|usually|at least|so far|in part|especially|except|excluding|and)\b"
)
_ONE_NAME = re.compile(r" \([A-Z][a-z]+\)")
_ENDS_IN_NAME = re.compile(r"\b[A-Z][\w.-]*$")
_DATELINE_WORDS = 7
_TAIL_ING = re.compile(r", (?:[a-z]+ly )?([a-z]{3,}ing) [^\x00,]{3,200}[.]$")
_NOT_PARTICIPLE = frozenset(
    "according adding announcing arguing asking assuming barring being beginning bring building calling citing claiming confirming considering concluding depending describing during "
    "evening everything excluding explaining following including indicating insisting king leaving meaning meeting morning nothing noting owing pending predicting promising providing quoting regarding reporting revealing "
    "saying showing something spring starting stating string suggesting telling testifying thing urging vowing warning wedding wing writing anything killing injuring wounding destroying damaging forcing "
    "prompting causing bringing making triggering sparking ending making sending becoming winning giving taking raising".split()
)
_PROGRESSIVE = re.compile(
    r"\b(?:is|was|are|were|be|been|am)(?:, [^,]*)?$"
)  # "was, at times, sleeping"
_RELATIVE_END = re.compile(
    r", (?:(?:one|some|many|most|all|both|two|three|several|none|half) of )?(?:who|which|whose|whom|where) [^\x00,;:—]{3,160}[.]$"
)
_RELATIVE_MIDDLE = re.compile(r", (?:who|which|whose|where) [^\x00,;:—]{3,120},(?= )")
_APPOSITION = re.compile(
    r"(?<=[a-z]), (?:an?|the|one of|his|her|its|their) [^\x00,;:—()]{3,100},(?= )"
)
_APPOSITION_END = re.compile(
    r"(?<=[A-Z][a-z]), (?:an?|the) [^\x00,;:—()]{3,100}[.]$|(?<=[A-Z][a-z][a-z]), (?:an?|the) [^\x00,;:—()]{3,100}[.]$|(?<=[a-z]{4}), (?:an?|the) [^\x00,;:—()]{3,100}[.]$"
)
_ENUMERATION = re.compile(r", the [A-Z][^.]* and ")
_SECOND_OBJECT = re.compile(
    r", [^,]{1,40}$|\b(?:giv|gave|offer|send|sent|award|hand|grant)[a-z]*\b"
)
_HEARD = re.compile(
    r"\b(?:[a-z]+ed|heard|found|learnt|read|saw|shows?|reports?|finds?|suggests?|indicates?|reveals?|concludes?|estimates?|notes?|argues?|warns?|states?|hears?|rules?)[.,]$"
)  # "…, an inquest heard."
_OF = re.compile(r" (?:of|for|at|with|in|from|to|on|south|north|east|west) ")
_COORDINATED = re.compile(r",(?: and)? (?:[a-z]+ing|[a-z]+ed)\b")
_INCLUDING_END = re.compile(
    r", (?:including|such as|as well as|along with|particularly|especially|notably) [^\x00;:—()]{3,200}[.]$"
)
_INCLUDING_MIDDLE = re.compile(
    r", (?:including|such as|as well as|along with) [^\x00,;:—()]{3,120},(?= )"
)
_ASIDE = re.compile(
    r", (?:however|meanwhile|of course|in fact|for example|for instance|too|moreover|nevertheless|nonetheless|in turn|in addition|indeed|among others|among other things),(?= )"
)
_OPENER = re.compile(
    r"^(?:(?:But|And) (?!(?:for|yet|then|so|if|when|while|as|rather|not|now|also|by|after|because|despite|even|what|that)\b)(?=[A-Za-z])|(?:However|Meanwhile|Moreover|Furthermore|In addition|Additionally|Nevertheless|Nonetheless|Still|Indeed|In fact|Of course|Also|Finally|Overall|Thus|Therefore|Similarly|Likewise|Ultimately|Notably), )"
)
_STATEMENT = re.compile(
    r"(?<=\bsaid|\bsays) in an? (?:[a-z]+ )?(?:statement|interview|news release|press release|release|news conference|press conference)(?= |[.,])(?! (?:to|with|by|from|that|released|issued|published|posted|on|after|in|at|obtained|aired|broadcast|provided|read|sent|[A-Z]))"
)
_DASHES = re.compile(
    r" ?(—|–|--) ?(?! ?(?:in|at|after|before|like|so|for|if|when|sometimes|often|mostly|mainly|largely|perhaps|as|though|although|or|among|unless|until|even|and|but)\b)[^\x00—–;:()]{3,120}? ?\1 ?(?=[a-z])(?![a-z]+ing\b)"
)
_ALSO = re.compile(
    r"(?<=[a-z,])(?<! is)(?<! was)(?<! are)(?<! were)(?<!'s)(?<!’s) also(?= [a-z])(?! (?:known|called|as|a|an|the|in|on|at|for|by|with|from|because|to|of)\b)"
)
_SUBORDINATE = re.compile(
    r"^(?:After|When|While|As|If|Although|Though|Because|Since|Before|Once|Until|Despite|In|On|At|With|By|For|During|Following|Among|Amid|To|Speaking|From|Under|Even|Whether|What|How)\b"
)
_FINITE_ED = re.compile(r"(?<=[a-z\x00,] )[a-z]+ed\b")
_PREPOSITION = re.compile(
    r" (?:of|in|at|on|to|for|by|from|after|before|during|near|against|inside|outside) "
)
_COORDINATION = re.compile(
    r" (?:but|while|when|after) |(?: and (?:[a-z]+ed|was|were|is|are|has|had|said|told) )"
)
_ED_CLAUSE = re.compile(r"\b[a-z]+ed (?:an?|the|his|her|their|its|him|them|it|that|out|up|down)\b")
_GOES_ON = re.compile(
    r"of|in|at|on|to|for|by|from|after|before|during|near|against|that|which|who|and|where|with|under|into|as"
)
_AGE = re.compile(r", \d+$")
_CONJUNCTIONS = ("unless", "if", "and", "but", "that", "because", "which", "who")
_PRESENT = re.compile(r"(?!(?:this|its|thus|perhaps|always|besides|towards|as|is)\b)[a-z]{3,}s")
_LISTED = re.compile(r"(?:and|or)\b")  # "which saw academics, administrators and students refuse"
_SHORT_ITEMS = re.compile(r",(?: [\w-]+){1,3},(?: [\w-]+){1,3}$")
_PARTICIPLE_MIDDLE = re.compile(
    r", (?:long |[a-z]+ly )?(?:(?!need|indeed|speed|seed|breed|exceed)[a-z]{3,}ed|known|held|built|made|led|seen|born|based) (?:by|in|at|on|to|from|as|for|with|after|near|of) [^\x00,;:—]{3,100},(?= )"
    r"|, (?:speaking|standing|sitting|working|acting|citing|using|wearing|carrying|representing) [^\x00,;:—]{3,100},(?= )"
)
_INSERTED = re.compile(r"(?<=[a-z]), an? [^\x00,;:—()]{3,100},(?= )")


def _weekday(masked: str) -> Iterator[tuple[int, int]]:
    """Yield the one weekday of a sentence about the past, with its "on"."""
    if len(_DAY_NAME.findall(masked)) != 1:
        return
    match = _SAID_DAY.search(masked)
    if match and not (masked[match.end() :] == "." and _HANGING.search(masked[: match.start()])):
        yield match.span()  # the day of the saying, whatever is said
        return
    if _FUTURE.search(masked) or not _PAST.search(masked):
        return
    if match := _LEADING_DAY.match(masked):
        yield match.span()
        return
    for pattern in (_ON_DAY, _BARE_DAY):
        for match in pattern.finditer(masked):
            before, after = masked[: match.start()], masked[match.end() :]
            if _DATE_WORD.search(f" {before}") or not _AFTER_DAY.match(after):
                continue
            if after[:1] in ".,;" and _CLIPPED.search(before):
                continue
            # A comma before the day goes with it only where the rest does not need it.
            comma_stays = match[0].startswith(",") and after.startswith(" ")
            yield match.start() + comma_stays, match.end()
            return


def _parenthesis(masked: str) -> Iterator[tuple[int, int]]:
    """Yield parentheses, but for those that belong to a name or to a dateline, and hedges.

    A hedge, such as "(though not all)" or "(at least for now)", limits what the sentence says, which would be too much without it.
    """
    for match in _PARENTHESIS.finditer(masked):
        before, after = masked[: match.start()], masked[match.end() :]
        of_name = _ONE_NAME.fullmatch(match[0]) and _ENDS_IN_NAME.search(before)
        near_start = len(before.split()) < _DATELINE_WORDS or is_agency(match[0].strip())
        of_dateline = near_start and re.match(r"\s+[A-Z\d]", after)
        if not of_name and not of_dateline and not _HEDGE.match(match[0]):
            between_commas = before.endswith(",") and after.startswith(",")
            yield match.start(), match.end() + between_commas


def _participle(masked: str) -> Iterator[tuple[int, int]]:
    """Yield a clause in "-ing" at the end, without the final mark."""
    match = _TAIL_ING.search(masked)
    if not match or match[1] in _NOT_PARTICIPLE or re.search(r"\d", match[0]):
        return
    before = masked[: match.start()]
    if _SUBORDINATE.match(masked) or before.endswith("ing") or not has_finite_verb(before):
        return
    if _PROGRESSIVE.search(before) or (_SHORT_ITEMS.search(before) and " and " in match[0]):
        return  # "was, at times, sleeping"; "storage, improved pavements, trading shelters and toilets"
    if (
        re.match(r", (?:[a-z]+ly )?[a-z]+ing and ", match[0])
        or re.search(r" and [a-z]+ing\b|, and ", match[0])
        or re.search(r"\b[a-z]+ing, [a-z]+ing$", before)
    ):
        return
    yield match.start(), match.end() - 1


def _relative_end(masked: str) -> Iterator[tuple[int, int]]:
    """Yield a relative clause at the end, without the final mark."""
    match = _RELATIVE_END.search(masked)
    if match and has_finite_verb(masked[: match.start()]) and not _SUBORDINATE.match(masked):
        yield match.start(), match.end() - 1


def _after_verb(pattern: re.Pattern[str]) -> Callable[[str], Iterator[tuple[int, int]]]:
    """Return a rule that finds insertions between commas in what follows the verb.

    Before a preposition both commas go; before another clause or verb the second one stays.
    """

    def spans(masked: str) -> Iterator[tuple[int, int]]:
        for match in pattern.finditer(masked):
            before, after = masked[: match.start()], masked[match.end() :]
            if not has_finite_verb(before) or _SUBORDINATE.match(masked):
                continue
            if _PREPOSITION.match(after):
                yield match.span()
            elif _COORDINATION.match(after):
                yield match.start(), match.end() - 1

    return spans


def _before_verb(
    pattern: re.Pattern[str], *, present: bool = False
) -> Callable[[str], Iterator[tuple[int, int]]]:
    """Return a rule that finds insertions between commas after which the verb of the sentence follows.

    With `present` any word in -s is taken for a verb.
    """

    def spans(masked: str) -> Iterator[tuple[int, int]]:
        for match in pattern.finditer(masked):
            following = masked[match.end() :].split(maxsplit=1)
            before = masked[: match.start()]
            if not following or _in_list(masked, *match.span()) or _is_clause(match[0]):
                continue
            if _ENUMERATION.match(match[0]) or following[0].startswith("un"):
                continue
            if match[0].startswith(", wh") and not has_verb(match[0]):
                continue  # "who, along with her, is": the clause goes on
            if _SUBORDINATE.match(before) and "," not in before and not re.match(r", wh", match[0]):
                continue  # "When she stayed, the officer …": the comma ends the first clause
            if " " not in before and match[0].startswith(", the "):
                continue  # "Anyway, the thing to remember, is"
            in_s = present and _PRESENT.fullmatch(following[0]) and not _LISTED.match(following[-1])
            if _is_verb(following[0]) or in_s:
                comma_stays = _AGE.search(before) is not None or _is_open(before)
                yield (
                    match.start(),
                    match.end() - comma_stays,
                )  # "Ortega, 19, was arrested" has a comma

    return spans


def _apposition_end(masked: str) -> Iterator[tuple[int, int]]:
    """Yield an apposition of a name at the end, without the final mark."""
    match = _APPOSITION_END.search(masked)
    if not match:
        return
    before = masked[: match.start()]
    inner = match[0]
    (last_word,) = before.rsplit(maxsplit=1)[-1:] or [""]
    if not last_word[:1].isupper() or has_finite_verb(inner) or not has_finite_verb(before):
        return
    if (
        (before.count(",") > 1 and inner.startswith(", the"))
        or _SUBORDINATE.match(masked)
        or _ENUMERATION.match(inner)
    ):
        return
    if _HEARD.search(inner) or not _OF.search(inner) or _SECOND_OBJECT.search(before):
        return
    yield match.start(), match.end() - 1


def _including_end(masked: str) -> Iterator[tuple[int, int]]:
    """Yield examples at the end ("including …"), without the final mark."""
    match = _INCLUDING_END.search(masked)
    if not match or _COORDINATED.search(match[0][2:]) or has_finite_verb(match[0]):
        return
    _, *others = match[0].removeprefix(", ").split(", ")
    if others and not re.search(r"\b(?:and|or) ", others[-1]):
        return  # not a list: the sentence goes on after the comma
    if has_finite_verb(masked[: match.start()]):
        yield match.start(), match.end() - 1


def _dashes(masked: str) -> Iterator[tuple[int, int]]:
    """Yield insertions between dashes, without the space behind them."""
    if _SUBORDINATE.match(masked):
        return
    for match in _DASHES.finditer(masked):
        (next_word,) = masked[match.end() :].split(maxsplit=1)[:1] or [""]
        if match[1] == "–" and not match[0].startswith(" "):
            continue  # acid–base–acid
        if not _is_verb(next_word) and not _GOES_ON.fullmatch(next_word.strip(",")):
            continue  # a comma would have to stand there
        yield match.start(), match.end() - (match[0][-1:] == " ")


def _opener(masked: str) -> Iterator[tuple[int, int]]:
    if match := _OPENER.match(masked):
        yield match.span()


def _aside(masked: str) -> Iterator[tuple[int, int]]:
    """Yield interjected adverbs; one comma stays unless a verb or conjunction is beside them."""
    for match in _ASIDE.finditer(masked):
        following = masked[match.end() :].split(maxsplit=1)
        if not following:
            continue
        last_word = masked[: match.start()].rsplit(maxsplit=1)[-1]
        if MASK in last_word:
            continue  # "we are”, too, says": the comma belongs to the quotation
        before = last_word.lstrip("(")
        no_comma = (
            _is_verb(following[0])
            or _is_verb(last_word)
            or before in _CONJUNCTIONS
            or _GOES_ON.fullmatch(before)
        )
        yield match.start(), match.end() - (not no_comma)


def _also(masked: str) -> Iterator[tuple[int, int]]:
    if "but also" not in masked and "not only" not in masked.lower():
        yield from (match.span() for match in _ALSO.finditer(masked))


def _every(pattern: re.Pattern[str]) -> Callable[[str], Iterator[tuple[int, int]]]:
    return lambda masked: (match.span() for match in pattern.finditer(masked))


RULES: dict[str, Callable[[str], Iterator[tuple[int, int]]]] = {
    "opener": _opener,
    "weekday": _weekday,
    "parenthesis": _parenthesis,
    "dashes": _dashes,
    "relative clause, middle": _before_verb(_RELATIVE_MIDDLE, present=True),
    "participle, middle": _before_verb(_PARTICIPLE_MIDDLE, present=True),
    "apposition": _before_verb(_APPOSITION),
    "including, middle": _before_verb(_INCLUDING_MIDDLE),
    "relative clause, inner": _after_verb(_RELATIVE_MIDDLE),
    "apposition, inner": _after_verb(_INSERTED),
    "aside": _aside,
    "relative clause, end": _relative_end,
    "including, end": _including_end,
    "participle, end": _participle,
    "apposition, end": _apposition_end,
    "statement": _every(_STATEMENT),
    "also": _also,
}


def has_finite_verb(text: str) -> bool:
    """Return True if a text has a finite verb, or a past tense after a noun."""
    words = re.findall(r"[a-z']+", text.lower())
    return any(word in _verbs() for word in words) or bool(_FINITE_ED.search(text))


def _is_open(before: str) -> bool:
    """Return True if the span ends with the closing comma of an insertion after the subject.

    As in "Mattis, who fell out with Trump, … , said".
    """
    subject, *parts = before.split(", ")
    if not parts or _SUBORDINATE.match(before) or has_finite_verb(subject):
        return False
    return parts[-1][:1].islower()


def has_verb(text: str) -> bool:
    """Return True if a text has a finite verb or a word that looks like one."""
    return has_finite_verb(text) or bool(re.search(r" (?!its\b|this\b|as\b)[a-z]{3,}s\b", text))


def _is_clause(insertion: str) -> bool:
    """Return True if an insertion has a verb that no relative pronoun governs: no apposition."""
    head = re.split(r" (?:who|that|which|whose|where|whom|when|until|since) ", insertion)[0]
    if head == insertion and _HEARD.search(insertion):
        return True
    return bool(set(re.findall(r"[a-z]+", head)) & _verbs()) or bool(_ED_CLAUSE.search(head))


def _is_verb(word: str) -> bool:
    bare = word.strip(".,;")
    return bare in _verbs() or (len(bare) > 4 and bare.endswith("ed") and bare.islower())


def _in_list(masked: str, start: int, end: int) -> bool:
    """Return True if commas around a span may be those of an enumeration."""
    return bool(re.search(r", [^,]{1,40}$", masked[:start]) and re.match(r" and |, ", masked[end:]))


@cache
def _verbs() -> frozenset[str]:
    return frozenset(table("summarizers", "verbs_en.txt"))
