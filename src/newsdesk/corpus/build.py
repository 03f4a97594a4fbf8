"""A whole corpus from one file of settings: all steps of a build, one after the other, and its page.

The key of a step is a digest of its settings, the version and the key of the step before it, so that a change runs what
depends on it and nothing else. Inside the steps `events` and `articles` the same holds for every page and crawl file, inside `dedup` and `align` for
every day. The single commands call the same steps.
`manifest.json` is written last: without it the build was stopped, and the same call goes on. The page shows the funnel of losses from pages to
clusters, every reason with its count, the aligner's curves, and the settings.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from newsdesk import __version__, records
from newsdesk.corpus.align.article_files import article_files
from newsdesk.corpus.align.candidates import AlignSettings
from newsdesk.corpus.align.clusters import write_cluster_days
from newsdesk.corpus.align.measured import measured_from, measured_section
from newsdesk.corpus.align.run import AlignerChoice, AlignStores, align_step
from newsdesk.corpus.articles import Extraction, build_articles
from newsdesk.corpus.build_settings import BuildSettings
from newsdesk.corpus.dedup import DedupStores, dedup_step, group_lines
from newsdesk.corpus.forgotten import Forgotten
from newsdesk.corpus.partitions import Filters
from newsdesk.corpus.portal.collect import collect, portal_pages
from newsdesk.corpus.splits import write_data_sets
from newsdesk.corpus.stats import write_statistics
from newsdesk.corpus.tally import Stage, StepTally, funnel_section, reasons_section
from newsdesk.files import atomic, remove_parts, write_text
from newsdesk.jsonl import json_line, json_text, json_value
from newsdesk.results.page import Cell, Section, page
from newsdesk.types import Event
from newsdesk.work import Digests, Ledger, Running, digest_of, locked
from newsdesk.work.ledger import WORK, DayCache, work_folder

ARTICLES = "articles"
DUPLICATES = "duplicates.jsonl"
CLUSTERS = "clusters.jsonl"
CANDIDATES = "candidates.jsonl"
MEASURES = "aligner.json"
STATS, STATS_PAGE = "stats.json", "stats.html"
EVENTS = "events.jsonl"
MANIFEST = "manifest.json"
PAGE = "index.html"
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did: the steps of the funnel in order, and how many pages and records were rejected.

    `computed` lists the days that had to be computed now: digests of texts (`digests`), comparisons of near-duplicates (`links`), pairs of cited
    sources (`pairs`), decisions of alignment (`decisions`), and gathered clusters (`clusters`).
    """

    folder: Path
    stages: tuple[Stage, ...]
    rejected: int
    computed: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Site:
    """Where a build works: its folder, the root of relative inputs, what is done, and how tasks are run."""

    folder: Path
    root: Path
    ledger: Ledger
    digests: Digests
    running: Running
    tell: Tell
    computed: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        """The folder of what is needed only to go on."""
        return self.folder / WORK

    @contextmanager
    def stored(self, kind: str) -> Iterator[DayCache]:
        """Open the results of one kind by day; those that nobody asked for are removed at the end."""
        cache = DayCache(self.work / kind)
        yield cache
        cache.sweep()
        self.computed[kind] = tuple(cache.computed)

    def step(self, name: str, key: str, work: Callable[[], StepResult]) -> StepResult:
        """Return what a step did, now or when it was finished with the same key; `work` does it."""
        finished = self.ledger.result(name, key)
        if finished is not None:
            tallies = tuple(StepTally(**tally) for tally in finished["tallies"])
            return StepResult(tallies, finished["files"], finished["rejected"])
        self.ledger.begin(name)
        self.tell(name)
        result = work()
        sizes = {file: (self.folder / file).stat().st_size for file in result.files}
        self.ledger.finish(name, key, sizes, result.as_json())
        return result


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step did: its accounts, its files with their numbers of records, and what it rejected."""

    tallies: tuple[StepTally, ...]
    files: Mapping[str, int | None]
    rejected: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of the ledger."""
        tallies = [tally.as_json() for tally in self.tallies]
        return {"tallies": tallies, "files": dict(self.files), "rejected": self.rejected}


def build(
    settings: BuildSettings,
    out: str | os.PathLike[str],
    *,
    root: Path,
    running: Running | None = None,
    tell: Tell = lambda step: None,
    overwrite: bool = False,
) -> Built:
    """Build a corpus in the folder `out`, or bring it up to date; inputs are relative to `root`.

    `tell` hears the name of each step that has something to do.
    """
    folder, work = work_folder(out, "corpus", overwrite=overwrite)
    with locked(work):
        remove_parts(folder)
        (folder / MANIFEST).unlink(missing_ok=True)
        digests = Digests(work / "digests.json")
        site = Site(folder, root, Ledger(work / "ledger"), digests, running or Running(), tell)
        results, stages = _run(site, settings, overwrite=overwrite)
        digests.save()
        measures = json_value((folder / MEASURES).read_bytes())
        files = {name: count for result in results for name, count in result.files.items()}
        write_text(folder / PAGE, build_page(stages, settings, _summarised(files), measures))
        spec = f"corpus build: {digest_of(asdict(settings))[:16]}"
        entries = [(folder / name, count) for name, count in [*files.items(), (PAGE, None)]]
        records.write_manifest(folder / MANIFEST, entries, spec=spec, seed=settings.seed)
    rejected = sum(result.rejected for result in results)
    return Built(folder, tuple(stages), rejected, site.computed)


def _run(
    site: Site, settings: BuildSettings, *, overwrite: bool
) -> tuple[list[StepResult], list[Stage]]:
    """Run all steps: those of the inputs find their own keys, the others follow from the step before."""
    events, events_key = _events(site, settings)
    articles, articles_key = _articles(site, settings, overwrite=overwrite)
    results = [events, articles]
    page_tally, bullet_tally = events.tallies
    (article_tally,) = articles.tallies
    stages = [
        Stage("portal pages", "pages read", page_tally),
        Stage("leaf bullets", "events", bullet_tally),
        Stage("crawled pages", "articles", article_tally),
    ]
    before = [__version__, events_key, articles_key]  # what the key of the next step follows from
    for step in _STEPS:
        inputs = step.inputs(settings)  # a step without any has the key of the one before
        key = digest_of([*before, *inputs]) if inputs else before[0]
        before = [key]
        if not step.used(settings):
            continue
        results.append(site.step(step.name, key, partial(step.work, site, settings)))
        for (unit, into), tally in zip(step.counts, results[-1].tallies, strict=True):
            stages.append(Stage(unit, into, tally))
    return results, stages


def _events(site: Site, settings: BuildSettings) -> tuple[StepResult, str]:
    """Collect the events; return also the key of the step."""
    table = settings.events
    pages = portal_pages(
        table.pages, site.digests, root=site.root, output=site.folder, date=table.date
    )
    refused = Forgotten.load(site.folder)
    if refused.digest:
        pages = [replace(page, key=digest_of([page.key, refused.digest])) for page in pages]
    key = digest_of([page.key for page in pages])

    def work() -> StepResult:
        folder = str(site.folder) if refused.digest else None
        collected = collect(
            pages,
            date=table.date,
            running=site.running,
            cache=site.work / "pages",
            forgotten=folder,
        )
        count = records.write(site.folder / EVENTS, collected.events)
        return StepResult((collected.pages, collected.bullets), {EVENTS: count}, collected.rejected)

    return site.step("events", key, work), key


def _articles(site: Site, settings: BuildSettings, *, overwrite: bool) -> tuple[StepResult, str]:
    """Build the articles; return also the key of the step, which is that of the files it wrote.

    The step keeps its own accounts of what is done.
    """
    table = settings.articles
    report = build_articles(
        table.inputs,
        site.folder / ARTICLES,
        extraction=Extraction(max_bytes=table.max_bytes, extractor=table.extractor),
        filters=Filters(
            languages=table.languages,
            since=table.since,
            until=table.until,
            outlets=table.outlets,
            min_characters=table.min_characters,
            max_characters=table.max_characters,
        ),
        running=site.running,
        root=site.root,
        forgotten=site.folder,
        overwrite=overwrite,
    )
    files = {f"{ARTICLES}/{name}": count for name, count in report.files.items()}
    return StepResult((report.tally,), files, report.rejected), digest_of(list(report.files))


def _dedup(site: Site, settings: BuildSettings) -> StepResult:
    """Group copies; those that are not kept stay in the partitions, and alignment passes over them."""
    files, table = article_files(site.folder / ARTICLES), settings.dedup
    with site.stored("digests") as digests, site.stored("links") as links:
        result = dedup_step(
            files,
            list(records.read(site.folder / EVENTS, Event)),
            DedupStores(digests, links),
            names=[file.path.name for file in files],
            days=table.days,
            threshold=table.threshold,
        )
    with atomic(site.folder / DUPLICATES) as stream:
        stream.writelines(group_lines(result.groups))
    return StepResult((result.tally,), {DUPLICATES: len(result.groups)})


def _dropped(path: Path) -> dict[str | None, set[str]]:
    """Return the ids of the copies that are not kept, by day; `path` is the file of groups."""
    dropped: dict[str | None, set[str]] = defaultdict(set)
    for line in path.read_bytes().splitlines():
        for copy in json_value(line)["articles"]:
            if not copy["kept"]:
                dropped[copy["date"]].add(copy["id"])
    return dropped


def _align(site: Site, settings: BuildSettings) -> StepResult:
    """Decide which articles join which events, and write clusters, candidates and measures."""
    table = settings.align
    dropped = _dropped(site.folder / DUPLICATES) if settings.dedup.use else {}
    files = [
        replace(file, dropped=frozenset(dropped.get(file.date, ())))
        for file in article_files(site.folder / ARTICLES)
    ]
    with (
        site.stored("decisions") as decisions,
        site.stored("pairs") as pairs,
        atomic(site.folder / CANDIDATES) as stream,
    ):
        run = align_step(
            list(records.read(site.folder / EVENTS, Event)),
            files,
            AlignerChoice(
                table.features,
                saved=site.root / table.aligner if table.aligner else None,
                fit=table.fit,
            ),
            AlignStores(decisions, pairs),
            names=[file.path.name for file in files],
            settings=AlignSettings(probability=table.probability, days=table.days),
            by_day=True,
            uncited=table.uncited,
            audit=lambda candidate: stream.write(json_line(asdict(candidate))),
        )
    alignment, places = run.alignment, site.work / "clusters.json"
    gathered = write_cluster_days(site.folder / CLUSTERS, places, alignment, files)
    site.computed["clusters"] = tuple(gathered)
    write_text(site.folder / MEASURES, json_text(run.measures()) + "\n")
    return StepResult(
        (alignment.articles, alignment.events),
        {CLUSTERS: len(alignment.members), CANDIDATES: None, MEASURES: None},
    )


def _split(site: Site, settings: BuildSettings) -> StepResult:
    tally, files = write_data_sets(
        site.folder,
        site.folder / CLUSTERS,
        shares=(settings.split.train, settings.split.val, settings.split.test),
        sizes=settings.truncate.sizes,
        by=settings.truncate.by,
        seed=settings.seed,
    )
    return StepResult((tally,), files)


def _stats(site: Site, settings: BuildSettings) -> StepResult:
    write_statistics(
        (site.folder / STATS, site.folder / STATS_PAGE),
        clusters=site.folder / CLUSTERS,
        events=site.folder / EVENTS,
        sizes=settings.truncate.sizes,
        by=settings.truncate.by,
        seed=settings.seed,
    )
    return StepResult((), {STATS: None, STATS_PAGE: None})


@dataclass(frozen=True, slots=True)
class BuildStep:
    """A step after events and articles: its settings, what its tallies count, and its work."""

    name: str
    inputs: Callable[[BuildSettings], list[Any]]
    counts: tuple[tuple[str, str], ...]
    work: Callable[[Site, BuildSettings], StepResult]
    used: Callable[[BuildSettings], bool] = lambda settings: True


_STEPS = (
    BuildStep(
        "dedup",
        lambda settings: [asdict(settings.dedup)],
        (("articles", "unique articles"),),
        _dedup,
        lambda settings: settings.dedup.use,
    ),
    BuildStep(
        "align",
        lambda settings: [asdict(settings.align), CLUSTERS, CANDIDATES, MEASURES],
        (("articles", "articles in clusters"), ("events", "clusters")),
        _align,
    ),
    BuildStep(
        "split",
        lambda settings: [asdict(settings.split), asdict(settings.truncate), settings.seed],
        (("clusters", "clusters in parts"),),
        _split,
    ),
    BuildStep("stats", lambda settings: [], (), _stats),
)


def _summarised(files: Mapping[str, int | None]) -> dict[str, int | None]:
    """Return the files for the page, with the partitions of articles as one line."""
    parts = {name: count or 0 for name, count in files.items() if name.startswith(f"{ARTICLES}/")}
    others = {name: count for name, count in files.items() if name not in parts}
    return {f"{ARTICLES}/ ({len(parts)} files)": sum(parts.values()), **others}


def build_page(
    stages: Sequence[Stage],
    settings: BuildSettings,
    files: Mapping[str, int | None],
    aligner: Mapping[str, Any],
) -> str:
    """Return the whole page, self-contained; `aligner` is what the build stored about it."""
    lead = "Every page, bullet and article that went in is either in the clusters or counted here with the reason why not."
    name = f"{aligner['signature']}\nfitted on {aligner['fitted_on']}"
    sections = [
        funnel_section(stages),
        reasons_section(stages),
        measured_section(measured_from(aligner), name),
        _outputs(files),
        _settings(settings),
    ]
    return page("newsdesk: a corpus", lead, sections)


def _outputs(files: Mapping[str, int | None]) -> Section:
    section = Section("Files", "What the build wrote; manifest.json holds the sha256 of each file.")
    return section.table(["file", "records"], [[name, count] for name, count in files.items()])


def _settings(settings: BuildSettings) -> Section:
    """Show all settings, one row each: `table.key` and its value."""
    section = Section("Settings", "As the build used them, with the defaults of what was left out.")
    rows: list[list[Cell]] = []
    for table, values in asdict(settings).items():
        if not isinstance(values, dict):
            rows.append([table, _shown(values)])
            continue
        rows += [[f"{table}.{key}", _shown(value)] for key, value in values.items()]
    return section.table(["setting", "value"], rows)


def _shown(value: object) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "–"
    return "–" if value is None else str(value)
