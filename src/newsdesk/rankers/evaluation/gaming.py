"""The gaming test: how often filler lifts weak comments above better ones.

Weak comments have a share of at most 0.2, better ones of the same article at least 0.8. Of the pairs that a ranker orders correctly, the measure is the
share that it orders wrongly once filler of about 50 words is added to the weak comment; equal scores count ½. One comment is filled at a time, each with
filler of its own, while the rest of the thread stays as it is.

A kind is a style of filler: `bland` (empty talk), `polite` (thanks and greetings), `boilerplate` (fluent institutional prose about nothing) and the others of `filler-en.txt`, `repeat`
(the comment's own text again) and `paraphrase` (its sentences announced and turned round). Filler is appended; `legal:prepend` and `legal:interleave` put it before the text
and between its sentences. Styles of a file of the user's own are added as they are written, one of their texts to each comment.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, zip_longest
from typing import Any

import numpy as np

from newsdesk.arrays import Floats, Ints, rounded
from newsdesk.errors import ArgumentError, DataError
from newsdesk.files import InputFile
from newsdesk.languages import LISTED, has_spaces
from newsdesk.packaged import sections
from newsdesk.rankers.evaluation.judged import Judged
from newsdesk.rankers.features import Bags
from newsdesk.rankers.ranker import Ranker
from newsdesk.records.schema import parse_toml
from newsdesk.signatures import sha256_of
from newsdesk.stats.significance import interval
from newsdesk.streams import stream
from newsdesk.text.sentences import sentences
from newsdesk.text.tokenize import tokenizer_for
from newsdesk.types import Comment, Thread

# What is tried unless other kinds are named.
KINDS = ("bland", "polite", "boilerplate", "repeat")
PLACES = ("append", "prepend", "interleave")
WORDS = 50  # of filler, about
WEAK_SHARE, BETTER_SHARE = 0.2, 0.8
# Of one article: pairs inverted, pairs that were correct before.
Row = tuple[float, int]
# The user's own styles: name → texts.
OwnFillers = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Gamed:
    """The share of correctly ordered pairs that one kind of filler inverts; None without such a pair."""

    kind: str
    share: float | None
    ci: tuple[float, float] | None
    pairs: int
    signature: str

    def as_json(self, system: str) -> dict[str, Any]:
        """Return the fields, with the name of the system."""
        return {"system": system, **dataclasses.asdict(self)}


@dataclass(frozen=True, slots=True)
class FillerStyle:
    """A style of filler of the user's own: its name, and texts that are added whole."""

    name: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _FillerFile:
    """What a file of the user's own styles holds."""

    style: tuple[FillerStyle, ...]


def read_fillers(path: str | os.PathLike[str]) -> dict[str, tuple[str, ...]]:
    """Read the user's own styles of filler from TOML: `[[style]]` with `name` and `texts`."""
    file = str(path)
    text = "\n".join(line for _, line in InputFile(file).texts())
    own: dict[str, tuple[str, ...]] = {}
    for style in parse_toml(text, _FillerFile, file).style:
        if style.name in own or style.name in styles():
            raise DataError(f"style {style.name!r} exists already; choose another name", file=file)
        if not style.name or set(style.name) & set(":, "):
            raise DataError(
                f"{style.name!r} cannot name a style; leave out colons, commas and blanks",
                file=file,
            )
        if not any(map(str.strip, style.texts)):
            raise DataError(f"style {style.name!r} has no text to add; add `texts`", file=file)
        own[style.name] = style.texts
    if not own:
        raise DataError("there is no [[style]]; add one with a name and texts", file=file)
    return own


def game(
    ranker: Ranker,
    threads: Iterable[Thread],
    kinds: Sequence[str] | None = None,
    *,
    own: OwnFillers | None = None,
    samples: int = 10_000,
    seed: int = 0,
) -> list[Gamed]:
    """Run the gaming test on a ranker, for each kind of filler.

    `kinds` may name the user's `own` styles too; left out, it is every own style in every place, and four styles of ours where there is none.
    """
    listed = list(threads)
    judged = Judged.of(listed)
    kinds = kinds or (everywhere(own) if own else KINDS)
    rows = turned(ranker, listed, judged, kinds, own=own, seed=seed)
    return [gamed(kind, rows[kind], judged, own, samples=samples, seed=seed) for kind in kinds]


def turned(
    ranker: Ranker,
    threads: Iterable[Thread],
    judged: Judged,
    kinds: Sequence[str] = KINDS,
    *,
    own: OwnFillers | None = None,
    seed: int = 0,
) -> dict[str, list[Row]]:
    """Count for each kind of filler, per article, the pairs it inverts and the pairs correct before."""
    for kind in kinds:
        check_kind(kind, own)
    share_of = dict(zip(judged.keys, judged.shares.tolist(), strict=True))
    rows: dict[str, list[Row]] = {kind: [] for kind in kinds}
    for thread in threads:
        keys = [(thread.article.id, comment.id) for comment in thread.comments]
        shares = np.array([share_of.get(key, np.nan) for key in keys])
        weak = np.flatnonzero(rounded(shares) <= WEAK_SHARE)
        better = np.flatnonzero(rounded(shares) >= BETTER_SHARE)
        if not (len(weak) and len(better)):
            continue
        before = ranker.scores(thread)
        correct = lead(before[better], before[weak]) > 0  # better × weak
        for kind in kinds:
            after = ranker.replaced(thread, weak.tolist(), _filled(thread, kind, weak, seed, own))
            inverted = (1 - lead(before[better], after)) / 2  # 1, or ½ for a tie
            rows[kind].append((float(inverted[correct].sum()), int(correct.sum())))
    return rows


def gamed(
    kind: str,
    rows: Sequence[Row],
    judged: Judged,
    own: OwnFillers | None = None,
    *,
    samples: int = 10_000,
    seed: int = 0,
) -> Gamed:
    """Return the share of inverted pairs over all articles, with its interval."""
    texts = (own or {}).get(kind.partition(":")[0])
    amount = {"texts": sha256_of("\n".join(texts), 8)} if texts else {"words": WORDS}
    signature = judged.signature(
        "rank-game",
        {"filler": kind, **amount, "weak": WEAK_SHARE, "better": BETTER_SHARE},
        {"samples": samples, "seed": seed},
    )
    return Gamed(kind, *share_of(rows, samples=samples, seed=seed), signature)


def share_of(
    rows: Sequence[Row], *, samples: int = 10_000, seed: int = 0
) -> tuple[float | None, tuple[float, float] | None, int]:
    """Return the share of pairs inverted, its interval over articles, and the number of pairs."""
    pairs = sum(count for _, count in rows)
    if not pairs:
        return None, None, 0
    statistics = np.array(rows, dtype=np.float64)
    estimate = interval(statistics, _share, samples=samples, seed=seed)
    return float(statistics[:, 0].sum() / pairs), estimate.ci, pairs


def styles() -> tuple[str, ...]:
    """Return the names of all styles of filler."""
    return (*sections("rankers", "filler-en.txt"), "repeat", "paraphrase")


def everywhere(names: Iterable[str]) -> list[str]:
    """Return the kinds that styles make in every place.

    >>> everywhere(["bland"])
    ['bland:append', 'bland:prepend', 'bland:interleave']
    """
    return [f"{name}:{where}" for name in names for where in PLACES]


def check_kind(kind: str, own: OwnFillers | None = None) -> None:
    """Raise an error if a kind names no style of filler or no place to put it."""
    style, _, where = kind.partition(":")
    names = (*(own or ()), *styles())
    if style not in names:
        raise ArgumentError(f"no filler is called {style!r}; there are: {', '.join(names)}")
    if where not in ("", *PLACES):
        raise ArgumentError(f"filler goes nowhere called {where!r}; there are: {', '.join(PLACES)}")


def filler(kind: str, text: str, lang: str, rng: np.random.Generator) -> str:
    """Return about fifty words of a style, to be added to a text."""
    joint = " " if has_spaces(lang) else ""
    if kind == "paraphrase":
        return restated(text, lang, rng)
    if kind == "repeat":
        pieces = text.split() if has_spaces(lang) else tokenizer_for(lang).words(text)
        return joint.join(islice(cycle(pieces), WORDS))
    texts = bank(kind, lang)
    places = rng.permutation(len(texts)).tolist()
    words_so_far = np.cumsum([word_count(texts[number], lang) for number in places])
    enough = int(np.searchsorted(words_so_far, WORDS)) + 1
    return joint.join(texts[number] for number in places[:enough])


def bank(style: str, lang: str) -> tuple[str, ...]:
    """Return the sentences of a style in a language, in English where there are none."""
    return sections("rankers", f"filler-{lang if lang in LISTED else 'en'}.txt")[style]


def placed(text: str, added: str, where: str, lang: str) -> str:
    """Return a text with filler at a place.

    >>> placed("Yes. No.", "Maybe. Who knows.", "interleave", "en")
    'Maybe. Yes. Who knows. No.'
    """
    joint = " " if has_spaces(lang) else ""
    if where == "interleave":
        both = zip_longest(sentences(added, lang), sentences(text, lang))
        return joint.join(sentence for pair in both for sentence in pair if sentence)
    return joint.join((added, text) if where == "prepend" else (text, added))


def restated(text: str, lang: str, rng: np.random.Generator) -> str:
    """Return a text's sentences again, announced and turned round at a comma, up to about fifty words."""
    openers = sections("rankers", "restate.txt")[lang if lang in LISTED else "en"]
    said: list[str] = []
    for sentence in sentences(text, lang):
        first, comma, rest = sentence.rstrip(".。").partition(", " if has_spaces(lang) else "，")
        turned_round = f"{rest}{comma}{first}" if comma else first
        said.append(f"{openers[rng.integers(len(openers))]} {turned_round}.")
        if sum(word_count(sentence, lang) for sentence in said) >= WORDS:
            break
    return " ".join(said)


def word_count(text: str, lang: str) -> int:
    """Return how many words with a letter or digit a text has."""
    return sum(any(map(str.isalnum, word)) for word in tokenizer_for(lang).words(text))


def _filled(
    thread: Thread, kind: str, weak: Ints, seed: int, own: OwnFillers | None
) -> list[Comment]:
    """Return the weak comments (by index) with filler of a kind added to their texts."""
    lang = Bags().language(thread)
    style, _, where = kind.partition(":")
    filled = []
    for comment in (thread.comments[number] for number in weak.tolist()):
        rng = stream(f"filler {style} {thread.article.id} {comment.id}", seed)
        texts = (own or {}).get(style)
        added = texts[rng.integers(len(texts))] if texts else filler(style, comment.text, lang, rng)
        text = placed(comment.text, added, where or "append", lang)
        filled.append(dataclasses.replace(comment, text=text))
    return filled


def lead(better: Floats, weak: Floats) -> Floats:
    """Return better × weak: 1 where the better one leads, 0 where equal, -1 where the weak one does."""
    return np.sign(rounded(better[:, None] - weak[None, :]))


def _share(rows: Floats) -> Floats:
    return rows[:, 0] / np.maximum(rows[:, 1], 1)
