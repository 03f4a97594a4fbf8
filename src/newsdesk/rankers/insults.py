"""Find insults and abuse in a comment: which words, how grave they are, and how much of the comment they make up.

Words and phrases are those of `gate-en.txt`, `gate-zh.txt` and `gate-ja.txt`. An insult of the writer's own counts; one that is quoted, reported ("he called her an idiot"), denied or
aimed at oneself does not, and neither does a name. Letters with spaces between them, digits and marks for letters, look-alikes of other scripts and stretched letters are read as the word that they stand
for. A long comment with one harsh word is no rant, so the weight of the insults is divided by the square of a length.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from newsdesk.languages import LISTED, has_spaces
from newsdesk.packaged import sections

_WEIGHTS = {"abuse": 3.0, "insult": 2.0, "contempt": 1.0}
# What is aimed at the reader weighs so many times more.
_AT_YOU = 1.5
# Less than one insult, or two words of contempt, is none.
_LEAST_WEIGHT = 2.0
# A comment of this many words has half the rate, and a quarter of the severity, of a very short one.
_SHORT = 20.0
# Words before and after an insult that tell who is meant, whether it is denied, and whether it is reported; in Chinese and Japanese so many characters.
_MEANT, _DENIED, _REPORTED, _AFTER = 4, 3, 5, 3
_NEAR_CHARACTERS = 6
# Characters of Chinese or Japanese that are about as long as a word.
_WORD_CHARACTERS = 2
_SECOND = frozenset("you your you're yours yourself yourselves u ur you've you'll".split())
_THIRD = frozenset("him her them".split())
_OWN_WORDS = frozenset("i i'd i'll i'm i've".split())

_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff\u0300-\u036f]")
_LOOKALIKES = str.maketrans("аеорсухіѕԁјӏνοαιρτυκϲɑɡո", "aeopcyxisdjlvoaiptukcagn")
_LEET = str.maketrans("013457@$!|", "oieastasil")
_WORD = re.compile(r"[^\W_]+(?:['&*@$#!|-]{1,4}[^\W_]+)*|[^\W_]*(?:[*@$#]+[^\W_]+)+")
# Single letters with one mark or space between each: i d i o t, i.d.i.o.t
_SPACED = re.compile(r"(?<![^\W_])[^\W\d_](?:([ .\-_*])[^\W\d_])(?:\1[^\W\d_]){2,}(?![^\W_])")
# What every such row holds; to begin with the mark is three times as fast.
_MAY_BE_SPACED = re.compile(r"([ .\-_*])[^\W\d_]\1[^\W\d_]\1[^\W\d_]")
_BETWEEN = re.compile(r"[ .\-_*]")
_STRETCHED = re.compile(r"(.)\1{2,}")
_STRETCHED_LETTER = re.compile(r"([^\W\d_])\1\1")
_ODD = re.compile(r"(.)\1\1|[0-9@$!|*#]")  # a word that may be disguised
_NO_LETTER = re.compile(r"[^a-z]")
_SENTENCE_END = re.compile(r"[.!?;。！？；\n]")
_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”]{1,400}”|«[^»]{1,400}»|「[^」]{1,400}」|『[^』]{1,400}』|(?<!\w)['‘][^'‘’\n]{2,200}['’](?!\w)"
)
# What stands between characters of Chinese and Japanese to hide a word.
_INSIDE = re.compile(
    r"(?<=[\u3041-\u30ff\u3400-\u9fff])[ \t.·*_~-]+(?=[\u3041-\u30ff\u3400-\u9fff])"
)


@dataclass(frozen=True, slots=True)
class Insults:
    """The insults of a comment as written, their weight, and the length of the comment."""

    words: tuple[str, ...] = ()
    weight: float = 0.0
    length: int = 0  # in words

    @property
    def rate(self) -> float:
        """The weight against the length: what a score is lowered by."""
        return self.weight / (1 + self.length / _SHORT)

    @property
    def severity(self) -> float:
        """How much of a rant the comment is: 2 for a lone insult, far less in a long comment, 0 below one insult."""
        if self.weight < _LEAST_WEIGHT:
            return 0.0
        return self.rate / (1 + self.length / _SHORT)


def insults(text: str, lang: str) -> Insults:
    """Return the insults of a text; none in a language without lists.

    >>> insults("You are an 1d10t.", "en").words, insults("He called her an idiot.", "en").words
    (('1d10t',), ())
    """
    if lang not in LISTED:
        return Insults()
    plain = readable(text)
    hits, length = _in_words(plain) if has_spaces(lang) else _in_characters(plain, lang)
    return Insults(tuple(shown for shown, _ in hits), sum(weight for _, weight in hits), length)


@functools.lru_cache(
    maxsize=1
)  # the score and the gate ask for the same thread, one after the other
def insults_of(texts: tuple[str, ...], lang: str) -> tuple[Insults, ...]:
    """Return the insults of each text of a thread."""
    return tuple(insults(text, lang) for text in texts)


@functools.lru_cache(maxsize=16)  # more than one part of the gate reads a comment so
def readable(text: str) -> str:
    """Return a text with what hides words undone: look-alikes, hidden characters, spaced letters.

    >>> readable("an i d i o t, an іdiоt")
    'an idiot, an idiot'
    """
    if not text.isascii():
        text = _HIDDEN.sub("", unicodedata.normalize("NFKC", text)).replace("’", "'")
        text = text.translate(_LOOKALIKES)
    if _MAY_BE_SPACED.search(text) is None:
        return text
    return _SPACED.sub(lambda letters: _BETWEEN.sub("", letters[0]), text)


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text in their places."""

    plain: str
    places: Sequence[re.Match[str]]
    lower: Sequence[str]

    def opens(self, index: int) -> bool:
        """Return True if a word begins a sentence."""
        if not index:
            return True
        start, end = self.places[index - 1].end(), self.places[index].start()
        return _SENTENCE_END.search(self.plain, start, end) is not None

    def is_capitalized(self, index: int) -> bool:
        """Return True for a word with a capital letter at its start alone."""
        return self.places[index][0].istitle()


Phrases = Mapping[str, Sequence[tuple[tuple[str, ...], str]]]  # first word → (words, kind)


@functools.cache
def _phrases() -> Phrases:
    """Return the English phrases by their first word, the longest first; words in all their forms."""
    by_first: dict[str, dict[tuple[str, ...], str]] = {}
    for kind in ("idiom", *_WEIGHTS):
        for line in sections("rankers", "gate-en.txt")[kind]:
            words = tuple(line.split())
            for first in _forms(line) if len(words) == 1 else words[:1]:
                by_first.setdefault(first, {}).setdefault((first, *words[1:]), kind)
    return {
        first: sorted(entries.items(), key=lambda entry: -len(entry[0]))
        for first, entries in by_first.items()
    }


@functools.cache
def _seconds() -> Mapping[str, frozenset[str] | None]:
    """Return what may follow each first word in a phrase; None for a word that is a phrase by itself."""
    return {
        first: None
        if any(len(words) == 1 for words, _ in entries)
        else frozenset(words[1] for words, _ in entries)
        for first, entries in _phrases().items()
    }


def _forms(word: str) -> tuple[str, ...]:
    """Return a word, its plural and its possessive."""
    if word.endswith(("s", "x", "z", "ch", "sh")):
        plural = f"{word}es"
    elif word.endswith("y") and word[-2:-1] not in "aeiou":
        plural = f"{word[:-1]}ies"
    else:
        plural = f"{word}s"
    return word, plural, f"{word}'s"


def _in_words(plain: str) -> tuple[list[tuple[str, float]], int]:
    """Return the insults of an English text with their weights, and the number of its words."""
    words = _lower_words(plain)
    matches = [match for match in _matches(plain, words) if match[2] in _WEIGHTS]
    if not matches:
        return [], len(words)  # most comments: where the words stand need not be known
    text = _Words(plain, list(_WORD.finditer(plain)), words)
    hits = [
        (plain[text.places[index].start() : text.places[stop - 1].end()], _WEIGHTS[kind] * times)
        for index, stop, kind in matches
        if (times := _times(text, index, stop))
    ]
    return hits, len(words)


def _matches(plain: str, words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the phrases in the words of a text, without overlap: from which word, to before which, and the kind."""
    phrases, seconds = _phrases(), _seconds()
    # Without stretched letters only words with digits or marks in them may be disguised.
    odd = _ODD.search(plain) is not None
    stretched = odd and _STRETCHED_LETTER.search(plain.lower()) is not None
    candidates = [
        index
        for index, (word, following) in enumerate(zip(words, (*words[1:], ""), strict=False))
        if (word in seconds and ((own := seconds[word]) is None or following in own))
        or (odd and (stretched or not word.isalpha()))
    ]
    free = 0  # the first word that no phrase before has taken
    for index in candidates:
        if index < free:
            continue
        word = words[index]
        match = _phrase_at(words, index, phrases[word]) if word in phrases else None
        if match is None and odd:
            match = _disguised(word, phrases)
        if match is not None:
            kind, size = match
            free = index + size
            yield index, free, kind


def _lower_words(plain: str) -> list[str]:
    """Return the words of a text in small letters."""
    if plain.isascii():  # small letters are as long as capitals
        return _WORD.findall(plain.lower())
    return [word.lower() for word in _WORD.findall(plain)]


def _phrase_at(
    words: Sequence[str], index: int, entries: Sequence[tuple[tuple[str, ...], str]]
) -> tuple[str, int] | None:
    """Return the kind and the size of the longest phrase that begins at a word."""
    second = words[index + 1] if index + 1 < len(words) else ""
    for phrase, kind in entries:
        # The second word is looked at before all others: it mostly tells.
        if len(phrase) == 1 or (
            phrase[1] == second and tuple(words[index : index + len(phrase)]) == phrase
        ):
            return kind, len(phrase)
    return None


def _disguised(word: str, phrases: Phrases) -> tuple[str, int] | None:
    """Return the kind of the word that a disguised one stands for: 1d10t, idi0t, id*ot, idiooot."""
    if not _ODD.search(word):
        return None
    letters = word.translate(_LEET)
    for spelling in (letters, _NO_LETTER.sub("", letters), _NO_LETTER.sub("", word)):
        for shown in (spelling, _STRETCHED.sub(r"\1", spelling), _STRETCHED.sub(r"\1\1", spelling)):
            kind = _alone(shown, phrases)
            if kind and shown != word and len(shown) > 3:
                return kind, 1
    if "*" in word[1:] and len(word) > 3:
        masked = re.compile("".join("." if mark in "*#@$" else re.escape(mark) for mark in word))
        for shown in phrases:
            if masked.fullmatch(shown) and (kind := _alone(shown, phrases)):
                return kind, 1
    return None


def _alone(word: str, phrases: Phrases) -> str | None:
    """Return the kind of a word that is an insult or abuse by itself; contempt is not disguised."""
    for phrase, kind in phrases.get(word, ()):
        if len(phrase) == 1 and kind in ("abuse", "insult"):
            return kind
    return None


def _times(text: _Words, index: int, stop: int) -> float:
    """Return how many times an insult counts, from word `index` to before `stop`.

    One that is not the writer's own does not count.
    """
    lists = _words_by_section()
    first = index  # of the words before it in its sentence
    while index - first < _REPORTED and not text.opens(first):
        first -= 1
    before = text.lower[first:index]
    at_you = any(word in _SECOND for word in before[-_MEANT:])
    quote = _quote(text.plain, *text.places[index].span())
    # Whoever writes that you are an 'idiot' says it; what others said is longer.
    if quote and (
        not at_you or quote[0].count(" ") > 1 or quote.start() < text.places[first].start()
    ):
        return 0.0
    if text.lower[index] in lists["names"] and _is_name(text, index, stop):
        return 0.0
    if any(word in lists["negation"] for word in before[-_DENIED:]):
        return 0.0
    for word in reversed(before[-_MEANT:]):
        if word in lists["address"] or word in _THIRD:
            break
        if word in lists["self"]:
            return 0.0
    for number, word in enumerate(before):
        own = number and before[number - 1] in _OWN_WORDS
        if word in lists["quoting"] and not own:
            return 0.0
    last = stop  # before the end of its sentence
    while last < min(stop + _AFTER, len(text.lower)) and not text.opens(last):
        last += 1
    aimed = at_you or any(word in _SECOND for word in text.lower[index:last])
    return _AT_YOU if aimed else 1.0


@functools.cache
def _words_by_section() -> Mapping[str, frozenset[str]]:
    return {name: frozenset(lines) for name, lines in sections("rankers", "gate-en.txt").items()}


def _quote(plain: str, start: int, end: int) -> re.Match[str] | None:
    """Return the quotation that holds a part of a text, None outside."""
    for quote in _QUOTED.finditer(plain):
        if quote.start() < start and end < quote.end():
            return quote
    return None


def _is_name(text: _Words, index: int, stop: int) -> bool:
    """Return True for a capitalized word beside another one, in a text that does not capitalize most words."""
    count = len(text.lower)
    if not text.is_capitalized(index):
        return False
    if 2 * sum(map(text.is_capitalized, range(count))) > max(count, 3):
        return False
    before = index > 0 and not text.opens(index) and text.is_capitalized(index - 1)
    after = stop < count and not text.opens(stop) and text.is_capitalized(stop)
    return before or after


@functools.cache
def _pattern(lang: str, *kinds: str) -> re.Pattern[str]:
    """Return what finds the phrases of some sections of a language without spaces, the longest first."""
    lists = sections("rankers", f"gate-{lang}.txt")
    phrases = sorted({line for kind in kinds for line in lists[kind]}, key=lambda line: -len(line))
    return re.compile("|".join(map(re.escape, phrases)))


def _in_characters(plain: str, lang: str) -> tuple[list[tuple[str, float]], int]:
    """Return the insults of a Chinese or Japanese text with their weights, and its length in words."""
    text = _INSIDE.sub("", plain).lower()
    lists = sections("rankers", f"gate-{lang}.txt")
    weight_of = {line: weight for kind, weight in _WEIGHTS.items() for line in lists[kind]}
    for line in lists["idiom"]:
        weight_of.pop(line, None)
    hits = []
    for match in _pattern(lang, "idiom", *_WEIGHTS).finditer(text):
        if match[0] in weight_of and (times := _times_in_characters(text, match, lang)):
            hits.append((match[0], weight_of[match[0]] * times))
    return hits, len(text) // _WORD_CHARACTERS


def _times_in_characters(text: str, match: re.Match[str], lang: str) -> float:
    """Return how many times an insult counts in a language without spaces, as `_times` does."""
    before = _SENTENCE_END.split(text[max(match.start() - _NEAR_CHARACTERS, 0) : match.start()])[-1]
    after = text[match.end() : match.end() + _NEAR_CHARACTERS]
    if _quote(text, *match.span()) or _pattern(lang, "quoting", "negation", "self").search(before):
        return 0.0
    if _pattern(lang, "after").match(after):
        return 0.0
    return _AT_YOU if _pattern(lang, "address").search(before) else 1.0
