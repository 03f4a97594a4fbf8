"""Comment corpora from an unfiltered simulated one: what each preset keeps is what was planted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records, simulate
from newsdesk.cli.main import main
from newsdesk.corpus.comments import CommentsReport, build_comments
from newsdesk.corpus.comments.planning import words_of
from newsdesk.errors import ArgumentError, DataError, FileError, SpecError
from newsdesk.types import Article, Comment, Thread

QIN = "qin2018(dev_articles=20, test_articles=15)"
FUJITA = (
    "fujita2019(shallow_articles=12, deep_articles=3, test_articles=4, test_comments=500, "
    "dev_comments=20, deep_comments=10)"
)
FEEDBACK = "feedback(articles=6, comments=5, liked=40)"

Truth = list[dict[str, Any]]


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Truth]:
    path = tmp_path_factory.mktemp("raw") / "threads.jsonl"
    world = simulate.world(preset="raw", events=220, comments=22_000, seed=3)
    records.write(path, world.threads())
    return str(path), list(world.raw.truth())


@pytest.fixture(scope="module")
def reports(
    raw: tuple[str, Truth], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[Path, CommentsReport]]:
    folder = tmp_path_factory.mktemp("comments")
    built = {}
    for spec in (QIN, FUJITA, FEEDBACK, "plain"):
        out = folder / spec.partition("(")[0]
        built[out.name] = (out, build_comments([raw[0]], out, preset=spec))
    return built


def threads(folder: Path, part: str) -> list[Thread]:
    return list(records.read(folder / f"{part}.jsonl", Thread))


def in_limits(row: dict[str, Any]) -> int:
    return sum(10 <= each <= 125 for each in row["characters"])


def test_qin2018_keeps_the_planted_articles(
    raw: tuple[str, Truth], reports: dict[str, tuple[Path, CommentsReport]]
) -> None:
    truth = [row for row in raw[1] if "of" not in row]
    used = [row for row in truth if row["different"] >= 20 and row["words"] >= 30]
    fit = {
        row["article"]
        for row in used
        if sum(row["likes"]) > 200 and sum(each > 5 for each in row["comment_words"]) >= 30
    }
    folder, report = reports["qin2018"]
    assert {each.part: each.articles for each in report.parts} == {
        "train": len(used) - 35,
        "dev": 20,
        "test": 15,
    }
    sizes = {row["article"]: row["different"] for row in used}
    for part in ("train", "dev"):
        for thread in threads(folder, part):
            assert len(thread.comments) == sizes[thread.article.id]
    for thread in threads(folder, "test"):
        assert thread.article.id in fit
        assert len(thread.comments) == 27
        assert all(len(words_of(each.text, "en")) > 5 for each in thread.comments)
    short = sum(row["different"] < 20 for row in truth)
    assert report.articles.dropped == {
        "text of another article": len(raw[1]) - len(truth),
        "fewer than 20 comments": short,
        "fewer than 30 words": len(truth) - short - len(used),
    }


def test_fujita2019_keeps_the_planted_articles_and_nothing_overlaps(
    raw: tuple[str, Truth], reports: dict[str, tuple[Path, CommentsReport]]
) -> None:
    used = {
        row["article"]: in_limits(row)
        for row in raw[1]
        if "of" not in row and row["different"] > 100
    }
    folder, report = reports["fujita2019"]
    sizes = {"shallow": 12, "shallow-dev": 4, "deep": 3, "deep-dev": 2, "test": 4}
    assert {each.part: each.articles for each in report.parts} == sizes
    assert {each.part: each.votes for each in report.parts}["test"] == 40
    assert report.articles.read - sum(
        count for reason, count in report.articles.dropped.items() if reason != "not drawn"
    ) == len(used)
    parts = {part: threads(folder, part) for part in sizes}
    ids = [thread.article.id for part in parts.values() for thread in part]
    assert len(ids) == len(set(ids)) == sum(sizes.values())
    assert set(ids) <= used.keys()
    for part, count in (("shallow", 5), ("shallow-dev", 5), ("deep", 10), ("deep-dev", 10)):
        assert {len(thread.comments) for thread in parts[part]} == {count}
    test = [thread.article.id for thread in parts["test"]]
    planted = min(500, sum(used[each] for each in test))
    assert sum(len(thread.comments) for thread in parts["test"]) == planted
    assert all(
        10 <= len(each.text.strip()) <= 125
        for part in parts.values()
        for thread in part
        for each in thread.comments
    )


def lengths(name: str, fit: int, long: int) -> Thread:
    comments = [f"Comment {n} of {name} is fit." for n in range(fit)]
    comments += [f"Comment {n} of {name} is long. " * 10 for n in range(long)]
    return Thread(
        Article(name, f"Text of {name}."),
        tuple(Comment(f"{name}/{n}", text) for n, text in enumerate(comments)),
    )


def test_more_than_100_comments_are_counted_before_the_filter_of_length_unless_named_after(
    tmp_path: Path,
) -> None:
    file = tmp_path / "t.jsonl"
    pools = {"a": (60, 41), "b": (100, 1), "c": (101, 0), "d": (60, 40), "e": (0, 101)}
    records.write(file, [lengths(name, *sizes) for name, sizes in pools.items()])
    sizes = "shallow_articles=1, deep_articles=1, test_articles=1, dev_comments=0, deep_comments=70"
    report = build_comments([str(file)], tmp_path / "before", preset=f"fujita2019({sizes})")
    assert report.articles.dropped == {"not more than 100 comments": 1, "not drawn": 1}
    assert {thread.article.id for thread in threads(tmp_path / "before", "deep")} <= {"b", "c"}
    for part in report.parts:
        assert part.comments > 0 or not part.articles
    feedback = "feedback(articles=1, comments=5, liked=0, count='after')"
    report = build_comments([str(file)], tmp_path / "after", preset=feedback)
    assert report.articles.dropped == {"not more than 100 comments of 10 to 125 characters": 4}
    with pytest.raises(DataError, match=r"only [01] articles left for deep with 102 or more"):
        preset = f"fujita2019({sizes[:-2]}102)"
        build_comments([str(file)], tmp_path / "none", preset=preset)


def test_feedback_takes_the_best_liked_that_were_not_drawn_at_random(
    raw: tuple[str, Truth], reports: dict[str, tuple[Path, CommentsReport]]
) -> None:
    folder, report = reports["feedback"]
    groups = {part: threads(folder, part) for part in ("random", "liked")}
    assert {each.part: each.comments for each in report.parts} == {"random": 30, "liked": 40}
    drawn = {each.id for thread in groups["random"] for each in thread.comments}
    liked = [each for thread in groups["liked"] for each in thread.comments]
    assert not drawn & {each.id for each in liked}
    scores = [
        likes - 5 * dislikes
        for row in raw[1]
        if "of" not in row and row["different"] > 100
        for likes, dislikes, length in zip(
            row["likes"], row["dislikes"], row["characters"], strict=True
        )
        if 10 <= length <= 125
    ]
    worst = min((each.likes or 0) - 5 * (each.dislikes or 0) for each in liked)
    better = sum(score > worst for score in scores)
    assert better <= 40 + len(drawn)
    assert worst >= sorted(scores)[-40 - len(drawn)]


@pytest.mark.parametrize("preset", ["qin2018", "fujita2019", "feedback", "plain"])
def test_counts_add_up_and_nobody_is_named(
    preset: str, raw: tuple[str, Truth], reports: dict[str, tuple[Path, CommentsReport]]
) -> None:
    folder, report = reports[preset]
    assert report.articles.read == len(raw[1])
    assert report.comments.read == sum(row["comments"] for row in raw[1]) == 22_000
    assert report.comments.kept == sum(each.comments for each in report.parts)
    assert sum(report.categories.values()) == report.articles.kept
    for part in report.parts:
        assert "sim-reader" not in (folder / f"{part.part}.jsonl").read_text("utf-8")
    page = (folder / "index.html").read_text("utf-8")
    assert "comments per article" in page
    assert "<svg" in page
    assert list(records.changed_files(folder / "manifest.json")) == []


def test_table_2_is_what_the_files_hold(
    reports: dict[str, tuple[Path, CommentsReport]],
) -> None:
    folder, report = reports["qin2018"]
    words: set[str] = set()
    for stats in report.parts:
        part = threads(folder, stats.part)
        comments = [each for thread in part for each in thread.comments]
        assert stats.comments_per_article == pytest.approx(len(comments) / len(part))
        likes = [each.likes or 0 for each in comments]
        assert stats.upvotes_per_comment == pytest.approx(sum(likes) / len(likes))
        assert stats.tail["most"] == max(likes)
        counts = [len(words_of(each.text, "en")) for each in comments]
        assert stats.comment_words == pytest.approx(sum(counts) / len(counts))
        for thread in part:
            texts = [thread.article.title or "", thread.article.text]
            for text in [*texts, *(each.text for each in thread.comments)]:
                words.update(words_of(text, "en"))
    assert report.vocabulary == len(words)


def test_the_same_seed_draws_the_same_and_another_does_not(
    raw: tuple[str, Truth], reports: dict[str, tuple[Path, CommentsReport]], tmp_path: Path
) -> None:
    folder, _ = reports["fujita2019"]
    for seed, same in ((0, True), (1, False)):
        build_comments([raw[0]], tmp_path / str(seed), preset=FUJITA, seed=seed)
        name = "deep.jsonl"
        equal = (tmp_path / str(seed) / name).read_bytes() == (folder / name).read_bytes()
        assert equal is same


def test_authors_are_written_only_when_asked_for(tmp_path: Path) -> None:
    comments = tuple(Comment(str(n), f"Comment {n}.", author="Ann") for n in range(3))
    records.write(tmp_path / "t.jsonl", [Thread(Article("a", "A text."), comments)])
    build_comments([str(tmp_path / "t.jsonl")], tmp_path / "x", preset="plain", authors=True)
    written = [each for part in ("train", "dev", "test") for each in threads(tmp_path / "x", part)]
    assert {each.author for thread in written for each in thread.comments} == {"Ann"}


def test_presets_go_through_campaigns(
    reports: dict[str, tuple[Path, CommentsReport]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    store = f"sqlite:///{tmp_path / 'x.db'}"
    for name, part, protocol in (
        ("fujita2019", "shallow", "constructive"),
        ("qin2018", "test", "grade"),
    ):
        file = reports[name][0] / f"{part}.jsonl"
        words = ["--protocol", protocol, "--threads", str(file), "--annotators", "open"]
        words += ["--per-item", "2", "--store", store]
        assert main(["campaign", "new", part, *words]) == 0
        assert f"--protocol {protocol} --threads {part}.jsonl" in (
            reports[name][0] / "index.html"
        ).read_text("utf-8")


@pytest.mark.real
def test_real_files_go_through_with_one_command(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = {
        "c3/c3_threads.jsonl": (323, 7_877, "up-votes"),
        "netease_music_comments/sources.jsonl": (400, 879, "up-votes"),
    }
    for number, (name, (articles, comments, _)) in enumerate(expected.items()):
        words = [str(shared_data / name), "--preset", "plain", "-o", str(tmp_path / str(number))]
        assert main(["corpus", "comments", *words, "--json"]) == 0
        row = json.loads(capsys.readouterr().out)
        assert [step["read"] for step in row["steps"]] == [articles, comments]
        assert sum(part["articles"] for part in row["parts"]) == articles
    votes = Counter(
        (each.yes, each.votes)
        for part in ("train", "dev", "test")
        for thread in threads(tmp_path / "0", part)
        for each in thread.comments
        if each.votes == 5
    )
    assert votes[5, 5] == pytest.approx(2_683, abs=10)  # less the copies within a thread


@pytest.mark.parametrize(
    ("preset", "error", "said"),
    [
        ("qin2018", DataError, "only [0-9]+ articles that may be annotated, not 1,610"),
        ("fujita2019", DataError, "articles that count, not 9,650"),
        ("feedback", DataError, "articles that count with 5 or more comments .*, not 1,000"),
        ("qin2019", SpecError, "did you mean 'qin2018'"),
        ("qin2018(words=3)", SpecError, "'words' is no setting"),
        ("qin2018(min_words=-3)", ArgumentError, "min_words is -3"),
        ("qin2018(test_comments=31)", ArgumentError, "31 comments cannot be drawn"),
        (
            "fujita2019(count='later')",
            ArgumentError,
            "count is 'later', not one of 'before', 'after'",
        ),
        (
            "feedback(count='later')",
            ArgumentError,
            "count is 'later', not one of 'before', 'after'",
        ),
        ("plain(min_characters=9, max_characters=8)", ArgumentError, "is more than"),
    ],
)
def test_a_preset_that_cannot_work_says_why_and_writes_nothing(
    preset: str, error: type[Exception], said: str, tmp_path: Path
) -> None:
    few = tmp_path / "few.jsonl"
    records.write(few, simulate.world(preset="raw", events=3, comments=30).threads())
    with pytest.raises(error, match=said):
        build_comments([str(few)], tmp_path / "x", preset=preset)
    assert not (tmp_path / "x").exists()


def test_an_article_that_two_files_hold_is_used_once(tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    thread = Thread(Article("a", "A text."), (Comment("1", "Yes."), Comment("2", " ")))
    for file in files:
        records.write(file, [thread])
    report = build_comments(files, tmp_path / "x", preset="plain")
    assert report.articles.dropped == {"id of another article": 1}
    assert report.comments.dropped == {"of an article that is not used": 2, "empty": 1}
    with pytest.raises(FileError, match="exists already"):
        build_comments(["missing.jsonl"], tmp_path / "x", preset="plain")
    assert build_comments(files, tmp_path / "x", preset="plain", overwrite=True) == report


def test_articles_of_their_own_file_replace_bare_ids(tmp_path: Path) -> None:
    comments = tuple(Comment(str(n), f"Comment {n}.") for n in range(2))
    records.write(tmp_path / "t.jsonl", [Thread(Article("a", ""), comments)])
    records.write(tmp_path / "a.jsonl", [Article("a", "It is long enough.", category="town")])
    words = [str(tmp_path / "t.jsonl"), "-o", str(tmp_path / "x"), "--preset", "plain(min_words=4)"]
    assert main(["corpus", "comments", *words, "--articles", str(tmp_path / "a.jsonl")]) == 0
    [thread] = threads(tmp_path / "x", "train")
    assert (thread.article.category, len(thread.comments)) == ("town", 2)


def test_standard_input_and_a_full_folder_are_refused(
    raw: tuple[str, Truth], tmp_path: Path
) -> None:
    with pytest.raises(ArgumentError, match="read twice"):
        build_comments(["-"], tmp_path / "x")
    (tmp_path / "notes.txt").touch()
    assert main(["corpus", "comments", raw[0], "--preset", "plain", "-o", str(tmp_path)]) == 1


def test_articles_under_other_names_are_read_and_bad_comments_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {
        "news_id": 7,
        "headline": "Bridge",
        "body": "The bridge is closed.",
        "section": "town",
        "comments": [
            {"id": 1, "content": "Why now?", "upvotes": 3, "user": "Ann"},
            {"id": 1, "content": "Again."},
            {"content": None},
            "At last!",
        ],
    }
    file = tmp_path / "x.jsonl"
    file.write_text(json.dumps(row) + "\n")
    assert (
        main(["corpus", "comments", str(file), "--preset", "plain", "-o", str(tmp_path / "x")]) == 3
    )
    assert (
        "2 rows rejected: duplicate id of a comment (1, first in line 1), no text (1"
        in capsys.readouterr().err
    )
    [thread] = threads(tmp_path / "x", "train")
    assert (thread.article.id, thread.article.title, thread.article.category) == (
        "7",
        "Bridge",
        "town",
    )
    assert [(each.id, each.text, each.likes, each.author) for each in thread.comments] == [
        ("1", "Why now?", 3, None),
        ("7/3", "At last!", None, None),
    ]
    build_comments([str(file)], tmp_path / "y", preset="plain", authors=True)
    assert threads(tmp_path / "y", "train")[0].comments[0].author == "Ann"
