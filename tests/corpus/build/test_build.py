"""A build from one settings file: every loss is accounted for, and a change costs only what depends on it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from newsdesk import records
from newsdesk.corpus.build import Built, build
from newsdesk.corpus.build_settings import read_settings
from newsdesk.errors import FileError, NewsdeskError
from newsdesk.types import Cluster, Event
from newsdesk.work import Running
from tests.corpus.articles.test_articles import files_of
from tests.corpus.build.newsroom import write_newsroom
from tests.corpus.writing import Stored, page, write_warc

PLAIN = 'extractor = "tests.corpus.writing:plain"'


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return write_newsroom(tmp_path / "newsroom", PLAIN)


def built(settings: Path, out: Path) -> tuple[Built, list[str]]:
    """Build in this process; what was done, and the steps that had something to do."""
    steps: list[str] = []
    running = Running(engine="inline")
    done = build(
        read_settings(settings), out, root=settings.parent, running=running, tell=steps.append
    )
    return done, steps


def test_the_sample_newsroom_becomes_clusters_with_the_funnel_of_losses(
    settings: Path, tmp_path: Path
) -> None:
    done, _ = built(settings, tmp_path / "out")
    tallies = {stage.tally.step: stage.tally for stage in done.stages}
    assert (tallies["events"].kept, tallies["articles"].read, tallies["articles"].kept) == (
        12,
        82,
        76,
    )
    assert dict(tallies["articles"].dropped) == {"no text": 3, "not status 200": 3}
    assert tallies["clusters"].kept == len(
        list(records.read(tmp_path / "out" / "clusters.jsonl", Cluster))
    )
    assert len(list(records.read(tmp_path / "out" / "events.jsonl", Event))) == 12
    assert list(records.changed_files(tmp_path / "out" / "manifest.json")) == []


def test_what_a_step_keeps_is_what_the_next_one_reads(settings: Path, tmp_path: Path) -> None:
    stages = {
        stage.tally.step: stage.tally for stage in built(settings, tmp_path / "out")[0].stages
    }
    assert stages["articles"].kept == stages["dedup"].read
    assert stages["dedup"].kept == stages["align"].read
    assert stages["clusters"].kept == stages["split"].read
    assert stages["events"].kept == stages["clusters"].read
    clusters = list(records.read(tmp_path / "out" / "clusters.jsonl", Cluster))
    assert stages["align"].kept == sum(len(cluster.articles) for cluster in clusters)


def test_data_sets_hold_every_cluster_once_and_no_date_twice(
    settings: Path, tmp_path: Path
) -> None:
    built(settings, tmp_path / "out")
    whole = [cluster.id for cluster in records.read(tmp_path / "out" / "clusters.jsonl", Cluster)]
    for name, most in (("clusters", 100), ("clusters-100", 100), ("clusters-10", 10)):
        parts = {
            part: list(records.read(tmp_path / "out" / name / f"{part}.jsonl", Cluster))
            for part in ("train", "val", "test")
        }
        assert sorted(each.id for part in parts.values() for each in part) == sorted(whole)
        days = [{each.date for each in part} for part in parts.values()]
        assert sum(map(len, days)) == len(set.union(*days))
        assert all(len(each.articles) <= most for part in parts.values() for each in part)


def test_a_corpus_of_one_day_is_not_split_and_says_so(settings: Path, tmp_path: Path) -> None:
    for path in sorted((settings.parent / "pages").iterdir())[1:]:
        path.unlink()
    done, _ = built(settings, tmp_path / "out")
    [split] = [stage.tally for stage in done.stages if stage.tally.step == "split"]
    whole = list(records.read(tmp_path / "out" / "clusters-100" / "all.jsonl", Cluster))
    assert split.dropped == {"fewer than three dates": len(whole)}


def test_near_duplicates_stay_where_they_are_not_looked_for(settings: Path, tmp_path: Path) -> None:
    settings.write_text(settings.read_text() + "\n[dedup]\nuse = false\n")
    done, steps = built(settings, tmp_path / "out")
    assert "dedup" not in steps
    assert not (tmp_path / "out" / "duplicates.jsonl").exists()
    assert "dedup" not in {stage.tally.step for stage in done.stages}


def test_the_page_shows_every_loss_and_the_curves_of_the_aligner(
    settings: Path, tmp_path: Path
) -> None:
    done, _ = built(settings, tmp_path / "out")
    text = (tmp_path / "out" / "index.html").read_text("utf-8")
    for stage in done.stages:
        for reason, count in stage.tally.dropped.items():
            assert re.search(rf"<td[^>]*>{re.escape(reason)}</td><td[^>]*>{count:,}</td>", text), (
                reason
            )
    assert "82 crawled pages → 76 articles" in text
    measures = json.loads((tmp_path / "out" / "aligner.json").read_bytes())["held_out"]
    assert text.count("<svg") == 2
    assert f"average precision {measures['average_precision']:.4f}" in text
    assert str(tmp_path) not in text


def test_a_second_build_has_nothing_to_do(
    settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(settings, tmp_path / "out")
    before = files_of(tmp_path / "out")
    monkeypatch.setenv("EXTRACTIONS", str(tmp_path / "ledger"))
    _, steps = built(settings, tmp_path / "out")
    assert (steps, (tmp_path / "ledger").exists()) == ([], False)
    assert files_of(tmp_path / "out") == before


def test_a_build_inside_its_own_input_folder_reads_nothing_that_it_wrote(settings: Path) -> None:
    text = settings.read_text("utf-8")
    for name in ("pages", "crawl"):
        text = re.sub(rf'"{name}/?"', '"."', text)
    settings.write_text(text, "utf-8")
    out = settings.parent / "corpus"
    first, _ = built(settings, out)
    files = files_of(out)
    again, steps = built(settings, out)
    assert (steps, again.stages, files_of(out)) == ([], first.stages, files)


def test_a_new_crawl_file_leaves_the_events_alone(
    settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(settings, tmp_path / "out")
    new = [Stored("https://new.example/1", page("A new article", day="2031-03-04"))]
    write_warc(settings.parent / "crawl" / "new.warc", new)
    monkeypatch.setenv("EXTRACTIONS", str(tmp_path / "ledger"))
    _, steps = built(settings, tmp_path / "out")
    assert steps == ["dedup", "align", "split", "stats"]
    assert (tmp_path / "ledger").read_text().split() == ["https://new.example/1"]
    built(settings, tmp_path / "fresh")
    assert files_of(tmp_path / "out") == files_of(tmp_path / "fresh")


def test_a_new_day_of_the_portal_is_parsed_alone(settings: Path, tmp_path: Path) -> None:
    pages = sorted((settings.parent / "pages").iterdir())
    last = pages[-1].read_bytes()
    pages[-1].unlink()
    built(settings, tmp_path / "out")
    parsed = {path: path.stat().st_ino for path in (tmp_path / "out" / ".work" / "pages").iterdir()}
    pages[-1].write_bytes(last)
    _, steps = built(settings, tmp_path / "out")
    assert steps[0] == "events"
    assert all(path.stat().st_ino == inode for path, inode in parsed.items())
    built(settings, tmp_path / "fresh")
    assert files_of(tmp_path / "out") == files_of(tmp_path / "fresh")


def test_another_probability_aligns_again_and_extracts_nothing(
    settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(settings, tmp_path / "out")
    settings.write_text(settings.read_text().replace("probability = 0.5", "probability = 0.99"))
    monkeypatch.setenv("EXTRACTIONS", str(tmp_path / "ledger"))
    _, steps = built(settings, tmp_path / "out")
    assert steps == ["align", "split", "stats"]
    assert not (tmp_path / "ledger").exists()


def test_a_portal_page_that_cannot_be_read_is_rejected_and_counted(
    settings: Path, tmp_path: Path
) -> None:
    (settings.parent / "pages" / "broken.html").write_text("<html><body>nothing here</body></html>")
    done, _ = built(settings, tmp_path / "out")
    assert done.rejected == 1
    assert done.stages[0].tally.dropped == {"no day of the portal is on this page": 1}


def test_a_folder_of_somebody_else_is_refused(settings: Path) -> None:
    with pytest.raises(FileError, match="no corpus folder"):
        built(settings, settings.parent)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("[dedup]\ndayz = 2", r"unknown key `dayz` in `dedup`; did you mean `days`\?"),
        ("[stats]\n", "unknown key `stats`"),
        ("[split]\ntrain = 0.5", "shares of `split` do not add up"),
        ("[truncate]\nsizes = [0]", "size of `truncate`"),
        ("[split]\ntrain = 'most'", "`split.train` is the text 'most', not a number"),
        ("[[[", "not TOML"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file(settings: Path, change: str, message: str) -> None:
    settings.write_text(f"{settings.read_text()}\n{change}\n")
    with pytest.raises(NewsdeskError, match=rf"corpus\.toml: .*{message}"):
        read_settings(settings)


def test_days_are_days_in_toml_too(settings: Path) -> None:
    settings.write_text(settings.read_text().replace(PLAIN, "since = 2031-03-04"))
    assert read_settings(settings).articles.since == "2031-03-04"
