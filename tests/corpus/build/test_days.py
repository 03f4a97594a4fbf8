"""Near-duplicates and alignment of a build are computed day by day: a change costs the days it touches, and no byte differs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.corpus.build import Built
from newsdesk.types import Article, Cluster, Event
from tests.corpus.articles.test_articles import files_of
from tests.corpus.build.newsroom import html_of, write_newsroom
from tests.corpus.build.test_build import PLAIN, built
from tests.corpus.writing import Stored, write_warc

KINDS = ("digests", "links", "pairs", "decisions", "clusters")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    """The sample newsroom, built with the aligner that ships (one that is fitted changes with every source); the days computed."""
    folder = tmp_path_factory.mktemp("base")
    path = write_newsroom(folder / "newsroom", PLAIN)
    path.write_text(path.read_text().replace("fit = true\n", ""))
    return folder, days(built(path, folder / "out")[0])


@pytest.fixture
def settings(base: tuple[Path, dict[str, list[str]]], tmp_path: Path) -> Path:
    """A copy of the newsroom and of its build."""
    shutil.copytree(base[0], tmp_path, dirs_exist_ok=True)
    return tmp_path / "newsroom" / "corpus.toml"


def add_article(settings: Path, text: str, day: str) -> None:
    add_page(settings, Article("new", text, "A new article", f"https://new.example/{day}", day))


def add_page(settings: Path, article: Article) -> None:
    stored = Stored(article.url or "", html_of(article))
    write_warc(settings.parent / "crawl" / "new.warc", [stored])


def days(done: Built) -> dict[str, list[str]]:
    return {kind: sorted(done.computed.get(kind, ())) for kind in KINDS}


def partitions(out: Path) -> list[str]:
    return sorted(path.name.removeprefix("date=") for path in (out / "articles").glob("date=*"))


def same_as_from_scratch(settings: Path, out: Path) -> None:
    built(settings, out.with_name("fresh"))
    assert files_of(out) == files_of(out.with_name("fresh"))


def test_a_first_build_computes_every_day_and_a_second_one_none(
    base: tuple[Path, dict[str, list[str]]], settings: Path, tmp_path: Path
) -> None:
    first = base[1]
    everything = partitions(tmp_path / "out")
    assert len(everything) >= 5
    assert first["digests"] == first["links"] == first["decisions"] == everything
    assert set(first["clusters"]) == {
        cluster.date for cluster in records.read(tmp_path / "out" / "clusters.jsonl", Cluster)
    }
    assert days(built(settings, tmp_path / "out")[0]) == {kind: [] for kind in KINDS}


def test_a_new_article_digests_its_day_and_compares_the_days_within_the_window(
    settings: Path, tmp_path: Path
) -> None:
    add_article(settings, "Nothing of the kind was ever printed. " * 9, "2031-03-04")
    done = days(built(settings, tmp_path / "out")[0])
    near = [day for day in partitions(tmp_path / "out") if "2031-03-04" <= day <= "2031-03-07"]
    assert (done["digests"], done["links"]) == (["2031-03-04"], near)
    assert done["decisions"] == ["2031-03-04"]
    clusters = list(records.read(tmp_path / "out" / "clusters.jsonl", Cluster))
    for kind, origins in (("clusters", ("cited", "found")), ("pairs", ("cited",))):
        touched = {
            cluster.date
            for cluster in clusters
            for article in cluster.articles
            if article.date == "2031-03-04" and article.origin in origins
        }
        assert set(done[kind]) == touched < {cluster.date for cluster in clusters}
    same_as_from_scratch(settings, tmp_path / "out")


def test_an_earlier_copy_of_an_article_takes_its_place_and_touches_both_days(
    settings: Path, tmp_path: Path
) -> None:
    clusters = list(records.read(tmp_path / "out" / "clusters.jsonl", Cluster))
    copied = next(
        article
        for cluster in clusters
        for article in cluster.articles
        if article.origin == "found" and (article.date or "") > "2031-03-04"
    )
    add_article(settings, copied.text, "2031-03-03")
    done = days(built(settings, tmp_path / "out")[0])
    groups = (tmp_path / "out" / "duplicates.jsonl").read_text("utf-8").splitlines()
    [group] = [row for row in map(json.loads, groups) if copied.id in str(row)]
    assert [each["kept"] for each in group["articles"]].count(True) == 1
    assert done["digests"] == ["2031-03-03"]
    assert {"2031-03-03", copied.date} <= set(done["decisions"]) < set(partitions(tmp_path / "out"))
    same_as_from_scratch(settings, tmp_path / "out")


def test_a_new_day_of_events_decides_on_the_days_beside_it(settings: Path, tmp_path: Path) -> None:
    last = max((settings.parent / "pages").iterdir())
    text = last.read_bytes()
    last.unlink()
    shutil.rmtree(tmp_path / "out")
    built(settings, tmp_path / "out")
    last.write_bytes(text)
    done = days(built(settings, tmp_path / "out")[0])
    assert done["digests"] == done["links"] == []
    assert 0 < len(done["decisions"]) < len(partitions(tmp_path / "out"))
    assert 0 < len(done["clusters"]) <= len(done["decisions"])
    same_as_from_scratch(settings, tmp_path / "out")


def test_clusters_that_are_not_those_of_the_last_build_are_all_gathered_again(
    base: tuple[Path, dict[str, list[str]]], settings: Path, tmp_path: Path
) -> None:
    path = tmp_path / "out" / "clusters.jsonl"
    text = path.read_bytes()
    path.write_bytes(text.replace(b"the", b"teh", 1)[:-1])
    done = days(built(settings, tmp_path / "out")[0])
    assert (done["decisions"], done["clusters"]) == ([], base[1]["clusters"])
    assert path.read_bytes() == text


def test_an_aligner_fitted_on_the_build_itself_decides_on_everything_again(
    settings: Path, tmp_path: Path
) -> None:
    settings.write_text(settings.read_text().replace("[align]", "[align]\nfit = true"))
    built(settings, tmp_path / "out")
    cited = next(
        source.url
        for event in records.read(tmp_path / "out" / "events.jsonl", Event)
        for source in event.sources
    )
    add_page(settings, Article("new", "It came later. " * 30, "A version", cited, "2031-03-04"))
    done = days(built(settings, tmp_path / "out")[0])
    assert done["decisions"] == partitions(tmp_path / "out")
    same_as_from_scratch(settings, tmp_path / "out")
