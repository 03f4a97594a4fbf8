"""What was forgotten stays out: builds in the new version refuse it, and models that saw it are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from newsdesk import records, samples
from newsdesk.cli.main import main
from newsdesk.corpus.build import build
from newsdesk.corpus.build_settings import read_settings
from newsdesk.corpus.forget import forget
from newsdesk.corpus.forget.targets import Request
from newsdesk.corpus.forgotten import Forgotten
from newsdesk.corpus.release import write_release
from newsdesk.corpus.release.rebuild import rebuild
from newsdesk.errors import DataError, FileError
from newsdesk.model import Saved, articles_seen, save_model
from newsdesk.types import Article, Cluster, ClusterArticle, Event
from newsdesk.work import Running
from tests.corpus.build.built import Newsroom
from tests.corpus.forget.decoding import readable

INLINE = Running("inline")


def first_article(corpus: Path) -> ClusterArticle:
    return next(iter(records.read(corpus / "clusters.jsonl", Cluster))).articles[0]


def test_a_build_that_meets_the_page_again_refuses_it(newsroom: Newsroom, tmp_path: Path) -> None:
    gone = first_article(newsroom.corpus)
    forget(newsroom.corpus, tmp_path / "new", Request(articles=(str(gone.url),)))
    settings = read_settings(newsroom.settings)
    done = build(settings, tmp_path / "new", root=newsroom.settings.parent, running=INLINE)
    [articles] = [stage.tally for stage in done.stages if stage.tally.step == "articles"]
    assert articles.dropped["forgotten"] == 1
    assert gone.id not in {a.id for a in records.read(tmp_path / "new/articles", Article)}
    events = list(records.read(tmp_path / "new/events.jsonl", Event))
    assert gone.url not in {source.url for event in events for source in event.sources}
    line = gone.text.splitlines()[0]
    for name, text in readable(tmp_path / "new"):  # the working files too
        assert str(gone.url) not in text, name
        assert line not in text, name


def test_without_a_list_a_build_is_as_before(newsroom: Newsroom, tmp_path: Path) -> None:
    settings = read_settings(newsroom.settings)
    build(settings, tmp_path / "again", root=newsroom.settings.parent, running=INLINE)
    before, after = (folder / "manifest.json" for folder in (newsroom.corpus, tmp_path / "again"))
    assert before.read_bytes() == after.read_bytes()


def test_a_rebuild_of_an_older_release_refuses_it_too(newsroom: Newsroom, tmp_path: Path) -> None:
    gone = first_article(newsroom.corpus)
    write_release(newsroom.corpus, tmp_path / "release")
    forget(newsroom.corpus, tmp_path / "new", Request(articles=(gone.id,)))
    done = rebuild(
        tmp_path / "release",
        [newsroom.crawl],
        tmp_path / "again",
        running=INLINE,
        forgotten=tmp_path / "new",
    )
    assert done.pages is not None
    assert done.pages.dropped["forgotten"] == 1
    assert done.articles.dropped == {"gone": 1}
    assert Forgotten.load(tmp_path / "again") == Forgotten.load(tmp_path / "new")


def test_a_release_of_the_new_version_does_not_name_it(newsroom: Newsroom, tmp_path: Path) -> None:
    gone = first_article(newsroom.corpus)
    forget(newsroom.corpus, tmp_path / "new", Request(articles=(gone.id,)))
    write_release(tmp_path / "new", tmp_path / "release")
    for name, text in readable(tmp_path / "release"):
        assert str(gone.url) not in text, name
        assert gone.id not in text, name


def test_a_list_without_its_key_stops_a_build(newsroom: Newsroom, tmp_path: Path) -> None:
    forget(newsroom.corpus, tmp_path / "new", Request(articles=("x/y",)))
    (tmp_path / "new/forgotten.key").unlink()
    with pytest.raises(FileError, match="without the key"):
        build(read_settings(newsroom.settings), tmp_path / "new", root=newsroom.settings.parent)


@pytest.mark.parametrize(
    ("refused", "article"),
    [
        (("url", "example.org/a"), {"url": "http://www.example.org/a/?utm_source=x"}),
        (("domain", "example.org"), {"url": "https://news.example.org/b"}),
        (("author", "ann lee"), {"author": "Bo Ray and Ann  Lee"}),
        (("id", "17"), {"id": "17"}),
    ],
)
def test_addresses_domains_authors_and_ids_are_refused(
    refused: tuple[str, str], article: dict[str, str]
) -> None:
    listed = Forgotten(b"key").with_values([refused])
    assert listed.refuses(**article)
    assert not listed.refuses(url="https://example.com/a", author="Bo Ray", id="18")
    assert not Forgotten().refuses(**article)


def test_fitting_commands_store_the_list_of_articles(tmp_path: Path) -> None:
    threads, clusters = samples.path("threads-en.jsonl"), samples.path("clusters.jsonl")
    rank = ["rank", "fit", "--model", "ranksvm(cost=0.1)", "--target", "score", "--train"]
    assert main([*rank, str(threads), "-o", str(tmp_path / "ranker")]) == 0
    assert articles_seen(tmp_path / "ranker", [samples.threads()[0].article.id]) == 1
    method = ["--method", "tsr(encoder='lsa', penalty=1.0)", "--fit", str(tmp_path / "tsr")]
    assert main(["summarize", str(clusters), *method]) == 0
    first = samples.clusters()[0].articles[0]
    assert articles_seen(tmp_path / "tsr", [first.id, str(first.url), "nobody"]) == 2


def test_models_that_saw_the_article_are_named(newsroom: Newsroom, tmp_path: Path) -> None:
    gone = first_article(newsroom.corpus)
    for name, articles in (("saw", [gone]), ("other", [Article("x", "")]), ("none", None)):
        folder = tmp_path / "models" / name
        save_model(folder, "ranker", Saved("length", {}, {}, {}), articles=articles)
    request = Request(articles=(gone.id,))
    report = forget(newsroom.corpus, tmp_path / "new", request, models=[tmp_path / "models"])
    assert report.models == (str(tmp_path / "models/saw"),)
    assert gone.id not in (tmp_path / "models/saw/articles.json").read_text()
    save_model(tmp_path / "models/saw", "ranker", Saved("length", {}, {}, {}))
    assert articles_seen(tmp_path / "models/saw", [gone.id]) == 0  # a new model, an unknown past
    (tmp_path / "models/other/articles.json").write_text("[]")
    with pytest.raises(DataError, match="not a list of articles"):
        articles_seen(tmp_path / "models/other", ["x"])
