"""Work on files of comments, for worker processes: recognise what a file is, see its columns, rank all its threads.

What only a worker needs is imported in its function: the server starts without it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from newsdesk import records
from newsdesk.arrays import best_first
from newsdesk.errors import DataError, NewsdeskError
from newsdesk.feedback import feedback
from newsdesk.files import InputFile, write_text
from newsdesk.jsonl import json_text
from newsdesk.records.comments.cells import parse_moment
from newsdesk.records.comments.grouping import Account
from newsdesk.records.comments.opening import open_comments
from newsdesk.records.schema import schema_of
from newsdesk.service.library import FileKind, kind_of
from newsdesk.service.search import WORDS, spaced
from newsdesk.service.threads import INDEX, READING, TABLES, FileReading, ThreadParts
from newsdesk.types import Article, Comment, Thread
from newsdesk.wording import excerpt, plural
from newsdesk.work.progress import OnProgress, Progress

if TYPE_CHECKING:
    from newsdesk.rankers.argument.reasons import Dissected
    from newsdesk.rankers.gate.gate import Held
    from newsdesk.rankers.ranker import Explained, Ranker
    from newsdesk.rankers.ready import Models

# What a mapping of columns may name beside fields: the order of dates such as 5/11/2026.
DATES = "dates"

_GZIP = b"\x1f\x8b"
_SORTED = "CREATE INDEX comment_by_id ON comment (thread, id);"
_EXCERPT = 220  # characters of the comment that stands for a thread
_SAMPLE = 80  # characters of a value that shows what a column holds


def recognised(path: str) -> tuple[FileKind, str]:
    """Return what is in a file, and why it cannot be read as it is where somebody has to choose columns."""
    name = Path(path).name
    with Path(path).open("rb") as stream:
        head = stream.read(64)
    if head.startswith(_GZIP):
        raise DataError("a compressed file is not read here; unpack it first", file=name)
    try:
        return kind_of(Path(path)), ""
    except NewsdeskError as error:
        columns, fault = columns_in(path, {})
        # Of JSON somebody may say where in it the comments stand.
        if not columns and not head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith((b"{", b"[")):
            raise DataError(without_options(str(error).replace(path, name))) from None
        return "comments", fault or without_options(str(error).replace(path, name))


def columns_in(path: str, mapping: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Return the columns of a file of comments with their fields, and why it cannot be read, if so.

    No columns: the file is none that columns could be chosen of.
    """
    account = Account()
    source = InputFile(path)
    try:
        comments = open_comments(source, None, _columns(mapping), account)
        next(iter(getattr(comments, "threads", ())), None)
    except NewsdeskError as error:
        return account.columns, without_options(str(error).replace(path, Path(path).name))
    finally:
        source.close()
    return account.columns, ""


def _columns(mapping: Mapping[str, str]) -> dict[str, str]:
    return {field: column for field, column in mapping.items() if field != DATES}


def without_options(sentence: str) -> str:
    """Return a sentence of a reader without its advice for the command line.

    >>> without_options("no column with the text; name it with --map text=COLUMN")
    'no column with the text'
    """
    return "; ".join(part for part in sentence.split("; ") if "--" not in part)


def threads_in(
    path: str, name: str, mapping: Mapping[str, str]
) -> tuple[records.Reader[Thread], list[Thread]]:
    """Return the reader of a file of comments, at its end, and the threads that have a comment.

    `name` is what people call the file, and the title of its comments where they have no article.
    """
    dates = mapping.get(DATES) or None
    reader = records.read(path, Thread, columns=_columns(mapping), dates=dates)
    threads = [_titled(thread, path, name) for thread in reader if thread.comments]
    if not threads:
        raise DataError(_nothing(reader.account), file=Path(path).name)
    return reader, threads


def rank_threads(
    folder: Path, report: OnProgress, path: str, name: str, mapping: Mapping[str, str], model: str
) -> None:
    """Rank all threads of a file into a folder; the work of a job. `model` is a saved one, or `ready`."""
    from newsdesk.rankers.ready import Models

    report(Progress("reading comments"))
    reader, threads = threads_in(path, name, mapping)
    reading = _reading(reader.format, threads, reader.account)
    write_text(folder / READING, json_text(asdict(reading)))
    part = folder / f".{INDEX}.part"
    part.unlink(missing_ok=True)
    with closing(sqlite3.connect(part)) as connection:
        connection.executescript(TABLES + WORDS)
        done = 0
        models = Models(model)
        for number, thread in enumerate(threads, 1):
            _rank_thread(
                connection, number, thread, models, _within(report, done, reading.comments)
            )
            done += len(thread.comments)
            report(Progress("ranking comments", done, reading.comments))
        connection.executescript(_SORTED)
        connection.commit()
    part.replace(folder / INDEX)


def _titled(thread: Thread, path: str, name: str) -> Thread:
    """Return a thread that is named after its file under the name that people know."""
    article = thread.article
    if article.title or article.id != Path(path).name.partition(".")[0]:
        return thread
    return replace(thread, article=replace(article, title=name))


def _within(report: OnProgress, done: int, total: int) -> OnProgress:
    """Return a callback for the progress inside of one thread, after so many comments of all."""
    return lambda progress: report(Progress("ranking comments", done + (progress.done or 0), total))


def _rank_thread(
    connection: sqlite3.Connection,
    number: int,
    thread: Thread,
    models: Models,
    report: OnProgress,
) -> None:
    from newsdesk.rankers.argument.model import Argument
    from newsdesk.rankers.gate.gate import Gate
    from newsdesk.rankers.ranked import Ranking, kept_standings

    gate = Gate()
    model, caution = _model_of(models, thread)
    if not isinstance(model, Argument):
        raise DataError(f"a {model.name!r} model does not tell what its scores are made of")
    held = gate.held(thread)
    dissected = model.dissect(thread, progress=report)
    parts = _parts(thread, dissected, held)
    standing = kept_standings(parts.scores, parts.kept)
    article = thread.article
    best = int(best_first(np.where(parts.kept, parts.scores, -1e9))[0])
    connection.execute(
        "INSERT INTO thread VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            article.id,
            article.title or article.id,
            len(thread.comments),
            int((~parts.kept).sum()),
            excerpt(" ".join(thread.comments[best].text.split()), _EXCERPT),
            Ranking(models, gate=gate).signature_of(model),
            caution,
            json_text(schema_of(Article).encode(article)),
            parts.packed(),
        ),
    )
    schema = schema_of(Comment)
    told = map(_told, dissected.comments, standing, held)
    connection.executemany(
        "INSERT INTO comment VALUES (?, ?, ?, ?, ?)",
        (
            (number, row, comment.id, json_text(schema.encode(comment)), json_text(values))
            for row, (comment, values) in enumerate(zip(thread.comments, told, strict=True))
        ),
    )
    words = "\n".join([article.title or "", *(comment.text for comment in thread.comments)])
    connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, spaced(words)))


def _parts(thread: Thread, dissected: Dissected, held: Sequence[Held | None]) -> ThreadParts:
    """Return what the order of a thread is made of; `held` says why comments are held back."""
    times = [parse_moment(comment.at) if comment.at else None for comment in thread.comments]
    liked = [feedback(comment) for comment in thread.comments]
    rows = {comment.id: row for row, comment in enumerate(thread.comments)}
    copied = [reason.copy_of if reason else None for reason in held]
    return ThreadParts(
        scores=np.array([comment.score for comment in dissected.comments]),
        length=dissected.length,
        feedback=np.array([np.nan if value is None else value for value in liked]),
        moments=np.array([time.timestamp() if time else np.nan for time in times]),
        vectors=dissected.vectors,
        held=np.array([bool(reason and not reason.copy_of) for reason in held], dtype=bool),
        originals=np.array([rows[name] if name else row for row, name in enumerate(copied)]),
    )


def _model_of(models: Models, thread: Thread) -> tuple[Ranker, str]:
    """Return the model of a thread and what to tell of it: the English one where its language has none."""
    from newsdesk.rankers.gate.gate import thread_language
    from newsdesk.rankers.ready import READY, load_ready, ready_name

    lang = thread_language(thread)
    if models.name != READY or ready_name(lang):
        return models.of(thread), models.caution(thread)
    caution = (
        f"there is no model for the language {lang!r}: the English one ranks these comments, "
        "so read its order and its reasons as suggestions, and adapt it by votes"
    )
    return load_ready(READY, "en"), caution


def _told(explained: Explained, standing: str, held: Held | None) -> dict[str, Any]:
    return {
        "score": explained.score,
        "standing": standing,
        "probability": explained.probability,
        "probability_error": explained.probability_error,
        "reasons": [asdict(sign) for sign in explained.signs],
        "held": held.text if held else "",
        "gate": asdict(held) if held else None,
    }


def _reading(format: str, threads: Sequence[Thread], account: Account) -> FileReading:
    comments = sum(len(thread.comments) for thread in threads)
    return FileReading(
        format,
        len(threads),
        comments,
        account.columns,
        _samples(threads[0]),
        tuple(_notes(account)),
    )


def _samples(thread: Thread) -> dict[str, str]:
    """Return a value of each field of the first comment and its article."""
    values: dict[str, Any] = asdict(thread.comments[0])
    values["comment"] = values.pop("id")
    article = thread.article
    values |= {"article": article.id, "title": article.title, "category": article.category}
    values |= {"url": article.url, "article_text": article.text, "lang": article.lang}
    return {
        field: excerpt(" ".join(str(value).split()), _SAMPLE)
        for field, value in values.items()
        if value not in (None, "")
    }


def _notes(account: Account) -> Iterable[str]:
    """Yield in sentences what was not read, or read in a way that may be wrong."""
    yield from map(without_options, account.notes)
    if account.marked_up:
        yield f"the HTML of {plural(account.marked_up, 'comment')} was read as text"
    for reason, count in account.skipped.items():
        yield f"{plural(count, 'comment')} skipped: {reason}"
    for reason, count in account.rejected.items():
        yield f"{plural(count, 'row')} not read: {reason} (first in line {account.first[reason]})"


def _nothing(account: Account) -> str:
    reasons = [f"{reason} ({count})" for reason, count in account.rejected.most_common(3)]
    return (
        f"holds no comment; rows not read: {', '.join(reasons)}" if reasons else "holds no comment"
    )
