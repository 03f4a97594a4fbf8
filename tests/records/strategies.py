"""Any record that the formats allow, for hypothesis."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from hypothesis import strategies as st

from newsdesk.types import (
    Article,
    Cluster,
    ClusterArticle,
    Comment,
    ControlQuestion,
    Entity,
    Event,
    Judgment,
    Output,
    Pair,
    Ranked,
    Reference,
    References,
    Source,
    Thread,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ID = TEXT.filter(bool)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
SHARE = st.floats(0, 1)
COUNT = st.integers(0, 10**6)
VALUE = TEXT | st.integers() | FLOAT | st.booleans()
DAY = st.dates().map(str)
MOMENT = st.datetimes().map(lambda at: at.isoformat(timespec="seconds") + "Z")


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


_BY_NAME = {
    "id": ID, "system": ID, "campaign": ID, "task": ID, "item": ID, "target": ID, "question": ID,
    "annotator": ID, "article": ID, "comment": ID, "better": ID, "worse": ID,
    "date": maybe(DAY), "at": maybe(MOMENT), "date_confidence": maybe(SHARE),
    "probability": maybe(SHARE), "toxicity": maybe(SHARE), "origin": maybe(st.sampled_from(["cited", "found"])),
    "likes": maybe(COUNT), "dislikes": maybe(COUNT), "position": maybe(COUNT), "score": maybe(FLOAT),
    "margin": maybe(FLOAT), "seconds": maybe(st.floats(0, 1e6)), "control": maybe(st.booleans()),
    "via": maybe(st.sampled_from(["sheet", "web", "import", "model"])),
    "value": VALUE, "answer": VALUE, "rank": st.integers(1, 10**6),
    "text": TEXT, "phrase": TEXT, "url": maybe(TEXT), "weight": SHARE,
}  # fmt: skip


def _of(kind: type[Any], **overrides: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    chosen = {
        field.name: overrides.get(field.name, _BY_NAME.get(field.name, maybe(TEXT)))
        for field in fields(kind)
    }
    return st.builds(kind, **chosen)


def _unique(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(items, max_size=3, unique_by=lambda item: item.id).map(tuple)


_ENTITY = st.builds(
    lambda phrase, target, start, more: Entity(phrase, target, start, start + more),
    TEXT, TEXT, COUNT, COUNT,
)  # fmt: skip
_VOTES = st.tuples(COUNT, COUNT).map(sorted)
_COMMENT = st.builds(
    lambda comment, votes: Comment(
        **{
            field.name: getattr(comment, field.name)
            for field in fields(Comment)
            if field.name not in ("yes", "votes")
        },
        yes=votes[0],
        votes=votes[1],
    ),
    _of(Comment, yes=st.none(), votes=st.none()),
    _VOTES,
)
_SOURCE = _of(Source, url=TEXT)
_STORY = st.lists(TEXT, max_size=3).map(tuple)
_EVENT = _of(
    Event,
    date=DAY,
    summary=TEXT,
    story=_STORY,
    entities=st.lists(_ENTITY, max_size=2).map(tuple),
    sources=st.lists(_SOURCE, max_size=2).map(tuple),
)
_REFERENCES = _of(References, references=st.lists(_of(Reference), max_size=3).map(tuple))
RECORDS: dict[type[Any], st.SearchStrategy[Any]] = {
    Article: _of(Article),
    Event: _EVENT,
    Cluster: _of(Cluster, articles=_unique(_of(ClusterArticle)), story=_STORY),
    Thread: _of(Thread, article=_of(Article), comments=_unique(_COMMENT)),
    References: _REFERENCES,
    Output: _of(Output),
    Judgment: _of(Judgment),
    ControlQuestion: _of(ControlQuestion, article=maybe(ID), up_to=maybe(FLOAT)),
    Ranked: _of(Ranked, score=FLOAT),
    Pair: st.tuples(ID, ID, ID, maybe(FLOAT))
    .filter(lambda row: row[1] != row[2])
    .map(lambda row: Pair(*row)),
}
