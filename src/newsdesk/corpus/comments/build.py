"""A comment corpus in two passes over its inputs: the first learns what every article offers, the second writes what was drawn.

So memory holds a few numbers for each article and no text, whatever the size of the inputs. All files appear when the second pass is complete, the manifest last.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

from newsdesk import records
from newsdesk.corpus.comments.planning import EMPTY, REPEATED, Choice, Facts, cleaned, folded
from newsdesk.corpus.comments.presets import PRESETS, Preset
from newsdesk.corpus.comments.stats import UNKNOWN, PartCounts, PartStats, comments_page
from newsdesk.corpus.tally import Accounts, StepTally, by_count
from newsdesk.errors import ArgumentError, FileError
from newsdesk.files import atomic, build_folder, write_text
from newsdesk.jsonl import json_text
from newsdesk.registry import Spec
from newsdesk.signatures import signature
from newsdesk.types import Article, Comment, Thread
from newsdesk.work import OnProgress, Progress, silent

Read = Callable[[str], records.Reader[Thread]]
_REPORTED_THREADS = 100

REPORT, PAGE, MANIFEST = "report.json", "index.html", "manifest.json"
_SAME_ID, _SAME_TEXT = "id of another article", "text of another article"
_NOT_DRAWN, _OF_DROPPED = "not drawn", "of an article that is not used"


@dataclass(frozen=True, slots=True)
class CommentsReport:
    """What was built: accounts of articles and comments, statistics of each part, and those of the whole."""

    spec: str
    seed: int
    protocol: str
    articles: StepTally
    comments: StepTally
    parts: tuple[PartStats, ...]
    vocabulary: int
    categories: Mapping[str, int]
    rejected: Mapping[str, int]

    @property
    def signature(self) -> str:
        """Preset and seed, as every number states them."""
        return signature("comment-corpus", {"preset": self.spec, "seed": self.seed})

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of `report.json`."""
        parts = [{**asdict(part), "signature": self.signature} for part in self.parts]
        return {
            "format": 1,
            "steps": [self.articles.as_json(), self.comments.as_json()],
            "parts": parts,
            "vocabulary": self.vocabulary,
            "categories": dict(self.categories),
            "rejected": dict(self.rejected),
        }


def build_comments(
    inputs: Sequence[str],
    out: str | os.PathLike[str],
    *,
    preset: str = "qin2018",
    seed: int = 0,
    authors: bool = False,
    overwrite: bool = False,
    articles: Iterable[Article] = (),
    read: Read = lambda path: records.read(path, Thread),
    progress: OnProgress = silent,
) -> CommentsReport:
    """Build a comment corpus from files of threads in the folder `out`.

    Comments keep their authors only if asked for.

    `read` opens a file of threads. `articles` stand in for those of threads with their id, where files of comments know no more of an
    article than that; they are held in memory.
    """
    if "-" in inputs:
        raise ArgumentError(
            "the inputs are read twice, which standard input cannot be; name a file"
        )
    if (Path(out) / MANIFEST).exists() and not overwrite:
        raise FileError(f"{out}: exists already; add --force (or overwrite=True) to replace it")
    filters: Preset = PRESETS.make(preset)
    spec = str(PRESETS.resolve(Spec.parse(preset)))
    known = {article.id: article for article in articles}
    corpus = _Corpus(inputs, read, progress, filters, known)
    plan = filters.plan(corpus.survey(), seed)
    names = [f"{part.name}.jsonl" for part in filters.parts]
    readme = f"A comment corpus made by newsdesk: {spec}, seed {seed}.\nindex.html describes it.\n"
    folder = build_folder(
        out,
        ("README.txt", readme),
        last=MANIFEST,
        names={*names, REPORT, PAGE},
        overwrite=overwrite,
    )
    report = corpus.write(folder, plan, spec, seed, authors=authors)
    write_text(folder / PAGE, comments_page(report))
    write_text(folder / REPORT, json_text(report.as_json()) + "\n")
    files: list[tuple[Path, int | None]] = [
        (folder / name, stats.articles) for name, stats in zip(names, report.parts, strict=True)
    ]
    files += [(folder / name, None) for name in ("README.txt", REPORT, PAGE)]
    records.write_manifest(folder / MANIFEST, files, spec=f"comment-corpus({spec})", seed=seed)
    return report


class _Corpus:
    """The inputs, and the accounts of what is read, dropped and drawn."""

    def __init__(
        self,
        inputs: Sequence[str],
        read: Read,
        progress: OnProgress,
        filters: Preset,
        known: Mapping[str, Article],
    ) -> None:
        self._inputs = inputs
        self._known = known
        self._read = read
        self._progress = progress
        self._filters = filters
        self._articles, self._comments = Accounts("articles"), Accounts("comments")
        self._rejected: Counter[str] = Counter()
        self._sizes: dict[int, int] = {}  # comments that may be drawn, of each article that is used

    def _threads(self, rejected: Counter[str]) -> Iterator[tuple[int, Thread]]:
        """Yield all threads after their index; what readers reject is added to `rejected`."""
        index = 0
        for path in self._inputs:
            reader = self._read(path)
            for thread in reader:
                if index % _REPORTED_THREADS == 0:
                    self._progress(Progress(Path(reader.path).name, reader.fraction, 1.0))
                article = self._known.get(thread.article.id, thread.article)
                if article is not thread.article:
                    thread = replace(thread, article=article)
                yield index, thread
                index += 1
            rejected.update(reader.account.rejected)

    def survey(self) -> list[Facts]:
        """Run the first pass: return what each article that is used offers."""
        facts: list[Facts] = []
        seen: set[bytes] = set()
        for index, thread in self._threads(self._rejected):
            clean = cleaned(thread, duplicates=self._filters.duplicates)
            reason = self._copied(thread, seen) or self._filters.refusal(clean)
            if reason is not None:
                self._articles.drop(reason)
                self._comments.drop(_OF_DROPPED, len(thread.comments))
                continue
            self._comments.drop(EMPTY, clean.empty)
            self._comments.drop(REPEATED, clean.repeated)
            unfit_reason, unfit_count = self._filters.unfit(clean)
            self._comments.drop(unfit_reason, unfit_count)
            self._sizes[index] = len(clean.comments) - unfit_count
            facts.append(Facts(index, *self._filters.facts(clean)))
        return facts

    def _copied(self, thread: Thread, seen: set[bytes]) -> str | None:
        """Return the reason if an earlier article had the same id, or title and text; else None.

        What is new is added to `seen`.
        """
        article = thread.article
        id_key = blake2b(f"id {article.id}".encode("utf-8", "replace"), digest_size=16).digest()
        if id_key in seen:
            return _SAME_ID
        seen.add(id_key)
        text = folded(f"{article.title or ''}\n{article.text}")
        if self._filters.duplicates or not article.text.strip():
            return None
        text_key = blake2b(f"text {text}".encode("utf-8", "replace"), digest_size=16).digest()
        if text_key in seen:
            return _SAME_TEXT
        seen.add(text_key)
        return None

    def write(
        self, folder: Path, plan: Sequence[Choice], spec: str, seed: int, *, authors: bool
    ) -> CommentsReport:
        """Run the second pass: write the parts as files and return what they hold."""
        choices: dict[int, list[Choice]] = defaultdict(list)
        for choice in plan:
            choices[choice.index].append(choice)
        counts = {part.name: PartCounts(part.name, part.votes) for part in self._filters.parts}
        vocabulary: set[str] = set()
        categories: Counter[str] = Counter()
        with ExitStack() as stack:
            streams = {
                name: stack.enter_context(atomic(folder / f"{name}.jsonl")) for name in counts
            }
            for index, thread in self._threads(Counter()):
                if index not in choices:
                    continue
                clean = cleaned(thread, duplicates=self._filters.duplicates)
                categories[thread.article.category or UNKNOWN] += 1
                for choice in choices[index]:
                    pool = self._filters.pool(choice.part, clean)
                    comments = [pool[place] for place in choice.places(len(pool), seed)]
                    _write(streams[choice.part], thread, comments, authors=authors)
                    counts[choice.part].add(clean, comments, vocabulary)
        self._count_drawn(choices, sum(count.comments for count in counts.values()))
        return CommentsReport(
            spec,
            seed,
            self._filters.protocol,
            self._articles.tally(),
            self._comments.tally(),
            tuple(count.stats() for count in counts.values()),
            len(vocabulary),
            by_count(categories),
            dict(self._rejected),
        )

    def _count_drawn(self, choices: Mapping[int, object], comments: int) -> None:
        """Close the accounts: what may be drawn is kept or not drawn."""
        self._articles.keep(len(choices))
        self._articles.drop(_NOT_DRAWN, len(self._sizes) - len(choices))
        self._comments.keep(comments)
        self._comments.drop(_NOT_DRAWN, sum(self._sizes.values()) - comments)


def _write(stream: BinaryIO, thread: Thread, comments: Sequence[Comment], *, authors: bool) -> None:
    written = comments if authors else [replace(comment, author=None) for comment in comments]
    stream.write(
        records.record_text(Thread(thread.article, tuple(written))).encode("utf-8") + b"\n"
    )
