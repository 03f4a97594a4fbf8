"""The engine on a cluster gives the bytes of the local one, whatever is killed meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from newsdesk import samples
from newsdesk.corpus.align.article_files import article_files, cited_in, cited_rows
from newsdesk.corpus.align.background import Background
from newsdesk.corpus.align.candidates import AlignSettings
from newsdesk.corpus.align.features import EventCalendar
from newsdesk.corpus.align.run import AlignerChoice, AlignOutputs, align_to_files
from newsdesk.corpus.articles import Extraction, build_articles
from newsdesk.corpus.build import build
from newsdesk.corpus.build_settings import read_settings
from newsdesk.corpus.dedup import DedupStores, dedup_step
from newsdesk.corpus.stats import cluster_stats
from newsdesk.errors import ArgumentError, DataError, EngineError
from newsdesk.files import make_folder
from newsdesk.model import articles_seen
from newsdesk.types import Article
from newsdesk.work import Running, WorkTask, run_tasks
from newsdesk.work.cluster import map_on_cluster
from newsdesk.work.ledger import DayCache
from tests.cli.running import run
from tests.corpus.build.built import Newsroom
from tests.corpus.build.newsroom import html_of, write_newsroom
from tests.corpus.writing import Stored, write_crawl, write_warc
from tests.work.clusters import LoopbackCluster, free_port

SHARDS, PAGES = 8, 25


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackCluster]:
    started = LoopbackCluster(tmp_path_factory.mktemp("dask"))
    yield started
    started.close()


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".work" not in path.parts
    }


@pytest.mark.timeout(300)
def test_two_killed_workers_and_a_restarted_scheduler_change_no_byte(
    cluster: LoopbackCluster, tmp_path: Path
) -> None:
    crawl = [write_crawl(tmp_path / f"{n}.warc.gz", f"s{n}", PAGES) for n in range(SHARDS)]
    extraction = Extraction(extractor="tests.corpus.writing:gated")
    local = build_articles(
        crawl, tmp_path / "local", extraction=extraction, running=Running("inline")
    )
    finished: list[int] = []

    def attack() -> None:
        """Three attacks, each after some shard was finished, or after some seconds if all workers wait at the gate."""
        for attacked in (cluster.kill_worker, cluster.kill_worker, cluster.restart_scheduler):
            before, deadline = _finished(tmp_path), time.monotonic() + 5
            while _finished(tmp_path) <= before and (time.monotonic() < deadline or not before):
                time.sleep(0.02)
            finished.append(_finished(tmp_path))
            attacked()
        cluster.open_gate()

    attacker = threading.Thread(target=attack, daemon=True)
    attacker.start()
    running = Running(cluster.engine, timeout_s=120)
    spread = build_articles(crawl, tmp_path / "cluster", extraction=extraction, running=running)
    attacker.join()
    assert 0 < finished[0] <= finished[-1] < SHARDS
    assert spread == local
    assert files_of(tmp_path / "cluster") == files_of(tmp_path / "local")


def _finished(folder: Path) -> int:
    return len(list((folder / "cluster").glob(".work/shards/*.json")))


def test_near_duplicates_frequencies_alignment_and_statistics_are_those_of_one_process(
    cluster: LoopbackCluster, newsroom: Newsroom, tmp_path: Path
) -> None:
    files, events = article_files(newsroom.corpus / "articles"), samples.events()
    local, spread = (
        dedup_step(
            files,
            events,
            DedupStores(
                DayCache(tmp_path / engine[:4]), DayCache(tmp_path / f"links {engine[:4]}")
            ),
            names=[file.path.name for file in files],
            engine=engine,
        )
        for engine in ("inline", cluster.engine)
    )
    assert spread == local
    assert local.groups
    texts = [article.text for each in samples.clusters() for article in each.articles]
    counts = [
        Background.fit([event.summary for event in events], texts, engine=engine)
        for engine in ("inline", cluster.engine)
    ]
    assert counts[0].vocabulary == counts[1].vocabulary
    assert counts[0].frequencies.tolist() == counts[1].frequencies.tolist()
    for engine in ("inline", cluster.engine):
        aligned = align_to_files(
            events,
            files,
            AlignOutputs(str(tmp_path / f"{engine[:4]}.jsonl")),
            AlignerChoice(),
            settings=AlignSettings(),
            running=Running(engine),
        )
        assert len(aligned.alignment.members) > 3
    assert (tmp_path / "inli.jsonl").read_bytes() == (tmp_path / "dask.jsonl").read_bytes()
    stats = [
        cluster_stats("x", samples.clusters(), sample=5, engine=engine)
        for engine in ("inline", cluster.engine)
    ]
    assert stats[0] == stats[1]


def test_a_build_on_a_cluster_has_the_bytes_of_a_local_one_and_stays_incremental(
    cluster: LoopbackCluster, tmp_path: Path
) -> None:
    path = write_newsroom(tmp_path / "newsroom", 'extractor = "tests.corpus.writing:plain"')
    path.write_text(path.read_text().replace("fit = true\n", ""))
    settings, running = read_settings(path), Running(cluster.engine)
    first = build(settings, tmp_path / "cluster", root=path.parent, running=running)
    new = Article("new", "Nothing of the kind was ever printed. " * 9, "New", date="2031-03-04")
    page = Stored("https://new.example/", html_of(new))
    write_warc(path.parent / "crawl" / "new.warc", [page])
    second = build(settings, tmp_path / "cluster", root=path.parent, running=running)
    assert len(first.computed["digests"]) == len(first.computed["decisions"]) > 3
    assert second.computed["digests"] == second.computed["decisions"] == ("2031-03-04",)
    assert len(second.computed["links"]) < len(first.computed["links"])
    build(settings, tmp_path / "local", root=path.parent, running=Running("inline"))
    assert files_of(tmp_path / "cluster") == files_of(tmp_path / "local")


def test_an_aligner_fitted_on_a_cluster_is_that_of_one_process_and_lists_its_articles(
    cluster: LoopbackCluster, newsroom: Newsroom, tmp_path: Path
) -> None:
    files, events = article_files(newsroom.corpus / "articles"), samples.events()
    for name, engine in (("local", "inline"), ("cluster", cluster.engine)):
        folder = make_folder(tmp_path / name)
        names = ("clusters.jsonl", "candidates.jsonl", "report.json", "aligner")
        align_to_files(
            events,
            files,
            AlignOutputs(*(str(folder / each) for each in names)),
            AlignerChoice(fit=True),
            settings=AlignSettings(probability=0.5),
            running=Running(engine),
        )
    assert files_of(tmp_path / "cluster") == files_of(tmp_path / "local")
    calendar = EventCalendar(events)
    rows = [cited_rows(file, calendar) for file in files]
    cited = [str(each.url) for each in cited_in(files, rows)]
    assert articles_seen(tmp_path / "local" / "aligner", cited) == len(set(cited)) > 3


def test_the_commands_take_a_cluster(
    cluster: LoopbackCluster, newsroom: Newsroom, tmp_path: Path
) -> None:
    source = str(newsroom.corpus / "clusters.jsonl")
    local = run("corpus", "stats", source, "--json")
    assert (
        run("corpus", "stats", source, "--json", "--engine", cluster.engine).stdout == local.stdout
    )
    wrong = run("corpus", "stats", source, "--engine", "dask://nowhere")
    assert (wrong.returncode, "dask://HOST:PORT" in wrong.stderr) == (2, True)


def test_an_error_on_a_worker_is_the_same_error_here(
    cluster: LoopbackCluster, tmp_path: Path
) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": "a", "text": ""}\n{"id"\n')
    with pytest.raises(DataError) as local:
        build_articles([tmp_path / "bad.jsonl"], tmp_path / "a", running=Running("inline"))
    with pytest.raises(DataError) as spread:
        build_articles([tmp_path / "bad.jsonl"], tmp_path / "b", running=Running(cluster.engine))
    assert str(spread.value) == str(local.value)
    assert spread.value.line == 2


class FakeClient:
    """A client whose tasks are finished at once; `lost` results fail on their way, as when the scheduler dies just then."""

    status = "running"

    def __init__(self, *, lost: bool) -> None:
        self._lost = lost

    def submit(self, call: Any, *arguments: Any, pure: bool) -> Any:
        def result(timeout: float) -> Any:
            if self._lost:
                raise CancelledError
            return call(*arguments)

        return SimpleNamespace(status="finished", result=result)


def test_a_result_that_is_lost_on_its_way_is_computed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clients = iter([FakeClient(lost=True), FakeClient(lost=False)])
    monkeypatch.setattr(
        "newsdesk.work.cluster._connected", lambda engine: nullcontext(next(clients))
    )
    assert map_on_cluster("dask://127.0.0.1:1", max, 2, [1, 3]) == [2, 3]


def test_no_scheduler_is_one_line_after_some_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsdesk.work.cluster._CONNECT_S", 0.3)  # Dask asks again all the time
    nobody = f"dask://127.0.0.1:{free_port()}"
    with pytest.raises(EngineError, match="2 of 2 tasks are unfinished"):
        map_on_cluster(nobody, max, 1, [2, 3], patience_s=0.5)
    with pytest.raises(ArgumentError, match="no engine is called"):
        run_tasks([WorkTask("x", "x:y", {})], engine="ray")
    with pytest.raises(ArgumentError, match="is no cluster"):
        run_tasks([WorkTask("x", "x:y", {})], engine="dask://127.0.0.1")
