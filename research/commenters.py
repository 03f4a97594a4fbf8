"""`ir-t`, `ir-tc`, `ir-quality` and `att` on real Chinese comments (songs of NetEase Cloud Music), and the generated comments of others beside them.

A source is read as an article (name of the song as its title, artist and lyrics as its text), its users' comments as the thread. The outputs of others answer all sources; they are
scored on the same test sources. `att` gets the minutes named on the command line (1 by default; 0 leaves it out); the ready ranker rates the comments for `ir-quality`.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from bench._data import SHARED
from newsdesk import records
from newsdesk.cli.comment.fit import RankerByName, tables
from newsdesk.commenters.compare import METRICS, compare, generic_share
from newsdesk.commenters.split import Split
from newsdesk.commenters.texts import references_of
from newsdesk.metrics.systems import join, score_systems
from newsdesk.results.scores import score_cell
from newsdesk.types import Article, Comment, Output, Thread

DATA = SHARED / "netease_music_comments" / "sources.jsonl"
TEST_SHARE = 0.25


def threads() -> tuple[list[Thread], dict[str, list[str]]]:
    rows = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    listed, others = [], {}
    for row in rows:
        title, _, text = row["source"].partition("；")
        comments = [Comment(f"{row['id']}/{n}", each) for n, each in enumerate(row["references"])]
        article = Article(row["id"], text, title=title.removeprefix("歌名："), lang="zh")
        listed.append(Thread(article, tuple(comments)))
        others[row["id"]] = [each["text"] for each in row["outputs"]]
    return listed, others


def main(minutes: float = 1.0) -> int:
    listed, others = threads()
    split = Split.of(listed, test=TEST_SHARE, dev=0.05, seed=0)
    specs = ("ir-t", "ir-tc", "ir-quality", *([f"att(minutes={minutes})"] if minutes else []))
    ranker = RankerByName("ready")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(tables(compare(split, specs, METRICS, ranker=ranker, folder=folder, samples=1_000)))
        references = references_of(split.test).references
        records.write(folder / "r.jsonl", references)
    outputs = [Output(a.id, "others", others[a.id][0]) for a in split.articles if others[a.id]]
    (scored,) = score_systems(join(outputs, references), METRICS, samples=1_000)
    print("\ngenerated comments of others, the first output of each test source:")
    for metric, score in zip(METRICS, scored.scores, strict=True):
        print(f"{metric:<10} {score_cell(score)}")
    print(f"generic share {generic_share(o.text for o in outputs):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:])))
