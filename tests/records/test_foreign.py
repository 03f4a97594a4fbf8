"""Other people's formats: what we take from them, what we count as ignored, what we refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records
from newsdesk.errors import DataError, SpecError
from newsdesk.types import (
    Article,
    Cluster,
    Comment,
    Judgment,
    Output,
    Ranked,
    Reference,
    References,
    Thread,
)

WCEP = {
    "id": 17,
    "date": "2019-05-01 00:00:00",
    "summary": "Akihito abdicates.",
    "category": "Politics",
    "reference_urls": ["https://a.example"],
    "wiki_links": [],
    "articles": [
        {"id": "x", "title": "T", "text": "One.", "url": "u", "time": "2019-05-01T09:00:00", "origin": "WCEP"},
        {"id": "x", "title": "T", "text": "One.", "archive_url": "v", "origin": "CommonCrawl"},
        {"text": "", "state": "failed"},
    ],
}  # fmt: skip


def _file(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def test_a_published_wcep_file_is_recognised(tmp_path: Path) -> None:
    reader = records.read_any(_file(tmp_path / "train.jsonl", json.dumps(WCEP)))
    (cluster,) = reader
    assert (reader.format, reader.kind) == ("wcep", Cluster)
    assert (cluster.id, cluster.date, cluster.summary) == ("17", "2019-05-01", "Akihito abdicates.")
    assert [(a.id, a.date, a.origin) for a in cluster.articles] == [
        ("17/1", "2019-05-01", "cited"),
        ("17/2", None, "found"),
        ("17/3", None, None),
    ]
    assert reader.ignored == {"reference_urls": 1, "wiki_links": 1, "archive_url": 1, "state": 1}


def test_a_wcep_file_gives_its_summaries_as_references(tmp_path: Path) -> None:
    path = _file(tmp_path / "train.jsonl", json.dumps(WCEP))
    assert list(records.read(path, References)) == [
        References("17", (Reference("Akihito abdicates."),))
    ]


def test_coco_captions_are_references_and_coco_results_are_outputs(tmp_path: Path) -> None:
    captions = {
        "info": {},
        "images": [{"id": 1}, {"id": 2}],
        "annotations": [
            {"image_id": 1, "id": 10, "caption": "a cat"},
            {"image_id": 2, "id": 11, "caption": "a dog", "area": 3},
            {"image_id": 1, "id": 12, "caption": "one cat"},
        ],
    }
    reader = records.read(_file(tmp_path / "c.json", json.dumps(captions)), References)
    assert list(reader) == [
        References("1", (Reference("a cat"), Reference("one cat"))),
        References("2", (Reference("a dog"),)),
    ]
    assert reader.ignored == {"info": 1, "area": 1}
    results = _file(tmp_path / "mine.json", '[{"image_id": 1, "caption": "a hat"}]')
    assert list(records.read(results, Output)) == [Output("1", "mine", "a hat")]
    with pytest.raises(DataError, match="not COCO captions"):
        list(records.read(results, References))


def test_lines_of_plain_text_are_outputs_and_references_by_number(tmp_path: Path) -> None:
    outputs = _file(tmp_path / "hyp.txt", "A ferry sank.\n\nNobody won.\n")
    references = _file(tmp_path / "ref.txt", "The ferry sank.\tA ship went down.\n-\nNo one won.\n")
    assert [(row.id, row.system, row.text) for row in records.read(outputs, Output)] == [
        ("1", "hyp", "A ferry sank."),
        ("2", "hyp", ""),
        ("3", "hyp", "Nobody won."),
    ]
    first = next(records.read(references, References))
    assert [reference.text for reference in first.references] == [
        "The ferry sank.",
        "A ship went down.",
    ]


def test_a_trec_run_may_count_from_zero(tmp_path: Path) -> None:
    run = _file(tmp_path / "r.trec", "q1 Q0 d1 0 3.5 tag\nq1 Q0 d2 1 -2 tag\n")
    assert list(records.read_any(run)) == [Ranked("q1", "d1", 3.5, 1), Ranked("q1", "d2", -2.0, 2)]


def test_qrels_are_threads_of_scored_comments(tmp_path: Path) -> None:
    qrels = _file(tmp_path / "qrels.test", "q1 0 d1 2\nq2 0 d1 0\nq1 0 d2 -1\n")
    assert list(records.read_any(qrels)) == [
        Thread(Article("q1", ""), (Comment("d1", "", score=2.0), Comment("d2", "", score=-1.0))),
        Thread(Article("q2", ""), (Comment("d1", "", score=0.0),)),
    ]


def test_comments_in_qrels_are_skipped(tmp_path: Path) -> None:
    qrels = _file(tmp_path / "x.qrels", "# who judged\nq1 0 d1 2\n\n#\nq1 0 d2 0\n")
    (thread,) = records.read(qrels, Thread)
    assert [comment.id for comment in thread.comments] == ["d1", "d2"]


def test_our_own_lines_in_a_json_file_are_read_as_such(tmp_path: Path) -> None:
    path = _file(tmp_path / "x.json", '{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n')
    reader = records.read_any(path)
    assert list(reader) == [Article("a", "x"), Article("b", "y")]
    assert reader.format == "newsdesk"


def test_real_trec_files_read_whole(shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    threads = list(records.read(folder / "qrels.test", Thread))
    assert sum(len(thread.comments) for thread in threads) == 3681
    commented = list(records.read(folder / "qrels.test.with-comments", Thread))
    assert [len(thread.comments) for thread in commented] == [len(t.comments) for t in threads]
    assert "CR#93E-1860" in {comment.id for comment in commented[0].comments}
    assert sum(1 for _ in records.read(folder / "results.test", Ranked, format="trec")) == 1500


def test_real_wcep_clusters_read_in_our_own_format(shared_data: Path) -> None:
    reader = records.read_any(shared_data / "wcep_real" / "clusters_train.jsonl")
    clusters = list(reader)
    assert (reader.format, len(clusters), len(clusters[0].articles)) == ("newsdesk", 923, 1)


@pytest.mark.parametrize(
    ("content", "kind", "expected"),
    [
        ('id,text,date,extra\na,"x, ""y""",2019-05-01,9\n', Article, Article("a", 'x, "y"', date="2019-05-01")),
        ("id,system,text\n1,s,\n", Output, None),
        ("article,comment,score,rank\na,c,0.5,1\n", Ranked, Ranked("a", "c", 0.5, 1)),
        (
            "campaign,task,item,target,question,value,annotator,control\nc,t,i,x,q,3,ann,true\n",
            Judgment,
            Judgment("c", "t", "i", "x", "q", 3, "ann", control=True),
        ),
    ],
)  # fmt: skip
def test_csv_rows_are_records(content: str, kind: type[Any], expected: Any, tmp_path: Path) -> None:
    path = _file(tmp_path / "x.csv", content)
    if expected is None:
        with pytest.raises(DataError, match=r"x\.csv:2: `text` is missing"):
            list(records.read(path, kind))
    else:
        assert list(records.read(path, kind)) == [expected]


def test_csv_references_are_one_a_row(tmp_path: Path) -> None:
    path = _file(tmp_path / "x.csv", "id,reference,weight\na,one,0.5\nb,other,\na,two,1\n")
    assert list(records.read(path, References)) == [
        References("a", (Reference("one", 0.5), Reference("two"))),
        References("b", (Reference("other"),)),
    ]


@pytest.mark.parametrize(
    ("name", "content", "kind", "reason"),
    [
        ("x.csv", 'id,text\na,"x\n', Article, "not CSV"),
        ("x.csv", "id,text\na,x,y\n", Article, "2: the row has more cells than the header"),
        ("x.csv", "article,comment,score,rank\na,c,high,1\n", Ranked, "2: `score` is the text 'high'"),
        ("x.csv", "id,id,text\na,b,x\n", Article, "1: the column `id` stands twice in the header"),
        ("x.csv", "article,comment,score,rank\na,c,nan,1\n", Ranked, "2: `score` is not a number"),
        ("x.trec", "q1 Q0 d1 1 3.5\n", Ranked, "1: not `topic Q0 document rank score tag`"),
        ("x.trec", "q1 Q0 d1 one 3.5 t\n", Ranked, "1: invalid literal"),
        ("x.trec", "q1 Q0 d1 1 nan t\n", Ranked, "1: `score` is nan"),
        ("x.qrels", "q 0 d 1\nq 0 d 1\n", Thread, "2: duplicate document 'd' of topic 'q'"),
        ("x.json", "{", References, "not JSON"),
        ("x.json", '{"annotations": [{"caption": "x"}]}', References, "1: an entry without"),
    ],
)  # fmt: skip
def test_a_broken_foreign_file_is_named_with_its_place(
    name: str, content: str, kind: type[Any], reason: str, tmp_path: Path
) -> None:
    path = _file(tmp_path / name, content)
    with pytest.raises(DataError) as caught:
        list(records.read(path, kind))
    assert str(caught.value).startswith(str(path))
    assert reason in str(caught.value)


def test_a_format_that_cannot_hold_the_type_says_so(tmp_path: Path) -> None:
    path = _file(tmp_path / "x.trec", "q1 Q0 d1 1 3.5 t\n")
    with pytest.raises(
        SpecError,
        match="read as the format 'trec', which holds the lines of a run; articles are needed",
    ):
        records.read(path, Article)
    with pytest.raises(SpecError, match="no format is called 'xml'"):
        records.read(path, Article, format="xml")


def test_an_unknown_key_of_our_own_threads_stays_an_error_where_the_type_is_found(
    tmp_path: Path,
) -> None:
    line = '{"article": {"id": "a", "text": "x"}, "comments": [], "topic": "y"}\n'
    with pytest.raises(DataError, match=r"x\.jsonl:1: unknown key `topic`"):
        list(records.read_any(_file(tmp_path / "x.jsonl", line)))
