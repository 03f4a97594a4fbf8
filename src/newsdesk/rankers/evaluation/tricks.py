"""What a writer adds to a weak comment in order to rise, without a thought of their own: the tricks of `rank game --search`.

| trick | what is added |
|---|---|
| `quote` | sentences of other comments, in quotation marks |
| `copy` | sentences of other comments, as they are |
| `restate` | sentences of other comments, announced and turned round |
| `own` | the comment's own sentences, announced and turned round |
| `foreign` | sentences of comments on other articles |
| `article` | sentences of the article |
| `shuffle` | words of other comments in random order |
| `salad` | words that are typical of this thread, in random order |
| `numbers` | invented statistics about such words |
| `hedging` | sentences that take back what was said |
| `bland` | empty talk, the filler of `rank game` |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

import numpy as np

from newsdesk.arrays import rounded
from newsdesk.languages import LISTED, has_spaces
from newsdesk.packaged import sections
from newsdesk.rankers.evaluation.gaming import (
    BETTER_SHARE,
    WEAK_SHARE,
    OwnFillers,
    bank,
    restated,
    word_count,
)
from newsdesk.rankers.evaluation.judged import Judged
from newsdesk.rankers.features import Bags
from newsdesk.streams import stream
from newsdesk.text.sentences import sentences
from newsdesk.types import Thread

_TOPIC_WORDS, _LEAST_LETTERS = 24, 4
_SENTENCE_WORDS = 12  # of a sentence of random words
_SPARE = 1.2  # a sentence may be so much longer than what is left of the budget
_STRANGERS = 30  # other threads that sentences are taken from


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A thread under attack: which comments are weak and which better (indices), and what a writer can draw on."""

    thread: Thread
    weak: list[int]
    better: list[int]
    lang: str
    foreign: list[str]  # sentences of comments on other articles
    topic: list[str]  # words typical of the thread
    own: OwnFillers

    def others(self, host: int) -> list[str]:
        """Return the sentences of the other comments."""
        comments = self.thread.comments
        texts = (comment.text for number, comment in enumerate(comments) if number != host)
        return [sentence for text in texts for sentence in sentences(text, self.lang)]

    def bank(self, trick: str) -> tuple[str, ...]:
        """Return the sentences of a trick in the language of the thread."""
        lang = self.lang if self.lang in LISTED else "en"
        return sections("rankers", "tricks.txt")[f"{trick}-{lang}"]

    @property
    def joint(self) -> str:
        """What stands between words."""
        return " " if has_spaces(self.lang) else ""


def scenes_of(
    threads: Sequence[Thread], judged: Judged, own: OwnFillers, sample: int, seed: int
) -> Iterator[Scene]:
    """Yield the threads of a random sample of weak comments that have a better one beside them."""
    share_of_key = dict(zip(judged.keys, judged.shares.tolist(), strict=True))
    weak, better = [], {}
    for number, thread in enumerate(threads):
        keys = [(thread.article.id, comment.id) for comment in thread.comments]
        shares = rounded(np.array([share_of_key.get(key, np.nan) for key in keys]))
        better[number] = np.flatnonzero(shares >= BETTER_SHARE).tolist()
        if better[number]:
            weak += [(number, place) for place in np.flatnonzero(shares <= WEAK_SHARE).tolist()]
    rng = stream("game search", seed)
    drawn = sorted(weak[index] for index in rng.permutation(len(weak))[:sample].tolist())
    strangers = rng.permutation(len(threads))[:_STRANGERS].tolist()
    words_of = {number: _words(threads[number]) for number in {*strangers, *dict(drawn)}}
    background = sum((words_of[number] for number in strangers), Counter[str]())
    for number in dict.fromkeys(number for number, _ in drawn):
        lang = Bags().language(threads[number])
        others = (threads[other] for other in strangers if other != number)
        foreign = (
            sentence
            for other in others
            if Bags().language(other) == lang
            for comment in other.comments[:10]
            for sentence in sentences(comment.text, lang)
        )
        yield Scene(
            threads[number],
            [place for owner, place in drawn if owner == number],
            better[number],
            lang,
            list(foreign),
            _topic(words_of[number], background),
            own,
        )


def _words(thread: Thread) -> Counter[str]:
    """Return in how many comments of a thread each word stands."""
    lang = Bags().language(thread)
    least = _LEAST_LETTERS if has_spaces(lang) else 2
    return Counter(
        word
        for comment in thread.comments
        for word in set(Bags().words(comment.text, lang))
        if len(word) >= least and word.isalpha()
    )


def _topic(words: Counter[str], background: Counter[str]) -> list[str]:
    """Return the words that most comments of a thread have and few of other threads."""
    lift = {word: count * count / (1 + background[word]) for word, count in words.items()}
    return sorted(lift, key=lambda word: (-lift[word], word))[:_TOPIC_WORDS]


Pieces = Callable[[Scene, int, np.random.Generator], Iterable[str]]


def _mixed(texts: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    return (texts[index] for index in rng.permutation(len(texts)).tolist())


def _quoted(scene: Scene, host: int, rng: np.random.Generator) -> Iterator[str]:
    wrappings = cycle(_mixed(scene.bank("quote"), rng))
    for sentence in _mixed(scene.others(host), rng):
        yield next(wrappings).format(text=sentence)


def _announced(texts: Sequence[str], scene: Scene, rng: np.random.Generator) -> Iterator[str]:
    return (restated(sentence, scene.lang, rng) for sentence in _mixed(texts, rng))


def _shuffled(scene: Scene, host: int, rng: np.random.Generator) -> Iterator[str]:
    words = [word for text in scene.others(host) for word in Bags().words(text, scene.lang)]
    yield from _lines_of(list(_mixed(words, rng)), scene.joint)


def _salad(scene: Scene, host: int, rng: np.random.Generator) -> Iterator[str]:
    if scene.topic:
        words = (str(word) for word in rng.choice(scene.topic, 40 * _SENTENCE_WORDS))
        yield from _lines_of(list(words), scene.joint)


def _lines_of(words: Sequence[str], joint: str) -> Iterator[str]:
    """Yield random words as sentences, with a capital and a full stop."""
    stop = "." if joint else "。"
    for start in range(0, len(words), _SENTENCE_WORDS):
        line = joint.join(words[start : start + _SENTENCE_WORDS])
        yield line[:1].upper() + line[1:] + stop


def _numbers(scene: Scene, host: int, rng: np.random.Generator) -> Iterator[str]:
    for pattern in cycle(_mixed(scene.bank("numbers"), rng)):
        if len(scene.topic) < 2:
            return
        word, other = rng.choice(scene.topic, 2, replace=False)
        year, number = rng.integers(1995, 2024), rng.integers(11, 95)
        yield pattern.format(word=word, other=other, year=year, number=number)


# What a trick adds, sentence by sentence.
TRICKS: dict[str, Pieces] = {
    "quote": _quoted,
    "copy": lambda scene, host, rng: _mixed(scene.others(host), rng),
    "restate": lambda scene, host, rng: _announced(scene.others(host), scene, rng),
    "own": lambda scene, host, rng: _announced(
        sentences(scene.thread.comments[host].text, scene.lang), scene, rng
    ),
    "foreign": lambda scene, host, rng: _mixed(scene.foreign, rng),
    "article": lambda scene, host, rng: _mixed(
        sentences(scene.thread.article.text, scene.lang), rng
    ),
    "shuffle": _shuffled,
    "salad": _salad,
    "numbers": _numbers,
    "hedging": lambda scene, host, rng: _mixed(scene.bank("hedging"), rng),
    "bland": lambda scene, host, rng: _mixed(bank("bland", scene.lang), rng),
}


def added(trick: str, scene: Scene, host: int, words: int, seed: int, step: int = 0) -> str:
    """Return about so many words of a trick for one comment; of the user's own styles a whole text."""
    comment = scene.thread.comments[host]
    rng = stream(f"trick {trick} {scene.thread.article.id} {comment.id}", seed, step)
    if texts := scene.own.get(trick):
        return texts[rng.integers(len(texts))]
    chosen: list[str] = []
    left = words
    # A sentence far longer than what is left is passed over, so that tricks cost about the same.
    for sentence in islice(TRICKS[trick](scene, host, rng), 200):
        size = word_count(sentence, scene.lang)
        if 0 < size <= _SPARE * left:
            chosen.append(sentence)
            left -= size
        if left <= 0:
            break
    return scene.joint.join(chosen)
