"""Can an annotator tell control questions or systems by anything but the texts? Simulated campaigns, all that is shown, and learners.

Texts are drawn from one distribution, whatever system or control they stand for, so that whatever a learner finds was told by something else: a number, a key, a
revision, an order, a place, a size, an address, a header or a time. Threads, clusters and bundles are of equal size: of a smaller bundle a control is a larger
share, which is arithmetic. One annotator's sheets (rows, guide, CSV; before and after answering), API and pages are read; the learners (logistic regression,
boosted trees) learn from some campaigns and are tested on others.
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import io
import json
import re
import tempfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from starlette.testclient import TestClient

from newsdesk.arrays import Floats, Ints
from newsdesk.campaigns import tasks as making
from newsdesk.campaigns.controls import made_controls, with_controls
from newsdesk.campaigns.exchange import sheet_of
from newsdesk.campaigns.protocols import Protocol, protocol
from newsdesk.campaigns.sheets import Sheet, workbook_bytes, write_csv
from newsdesk.campaigns.sheets.layout import lines
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.tasks import Task
from newsdesk.service.desk import Desk, slug
from newsdesk.types import (
    Article,
    Cluster,
    ClusterArticle,
    Comment,
    Output,
    Reference,
    References,
    Thread,
)

AT = "2026-01-02T09:00:00Z"
WHO = "ann"
PEOPLE = (WHO, "ben", "cy")
SYSTEMS = ("centroid", "lead", "textrank")
_WORDS = tuple(
    first + second + third
    for first in ("b", "d", "f", "k", "l", "m", "n", "p", "r", "s", "t", "v")
    for second in ("a", "e", "i", "o", "u")
    for third in ("ra", "ne", "lo", "ti", "mus", "den")
)
_KEY = re.compile(r"'?(\d+)(?:\.(\d+))?-([0-9a-f]+)")
_MODULI = (2, 3, 4, 5, 7)
_GUESSED_CONTROLS = 40

Making = Callable[[np.random.Generator, int], list[Task]]


@dataclass(frozen=True, slots=True)
class Design:
    """A kind of campaign: its protocol, and how its tasks are made from a seed."""

    name: str
    form: str
    tasks: Making


@dataclass(frozen=True, slots=True)
class Truth:
    """What a shown text stands for: a control question or not, and its system or its place in the input."""

    control: bool
    source: int


@dataclass(frozen=True, slots=True)
class Shown:
    """The texts that one annotator was shown: features × names, and what they stand for."""

    names: tuple[str, ...]
    features: Floats  # texts × names
    truths: tuple[Truth, ...]


def _text(rng: np.random.Generator, middle: float = 14) -> str:
    """Return a text of random words: two or three sentences of lengths that vary."""
    sentences = []
    for _ in range(int(rng.integers(1, 4))):
        count = max(3, int(rng.lognormal(np.log(middle), 0.4)))
        words = [_WORDS[place] for place in rng.integers(len(_WORDS), size=count)]
        sentences.append(" ".join(words).capitalize() + ".")
    return " ".join(sentences)


def _articles(rng: np.random.Generator, count: int) -> list[Article]:
    return [
        Article(
            f"a{number}", _text(rng, 40), title=_text(rng, 5), url=f"https://example.org/{number}"
        )
        for number in range(count)
    ]


def _threads(rng: np.random.Generator, count: int, comments: int) -> list[Thread]:
    """Return threads with as many comments each."""
    return [
        Thread(
            article,
            tuple(Comment(f"{article.id}c{place}", _text(rng)) for place in range(comments)),
        )
        for article in _articles(rng, count)
    ]


def _outputs(rng: np.random.Generator, articles: Sequence[Article]) -> list[Output]:
    return [Output(article.id, system, _text(rng)) for article in articles for system in SYSTEMS]


def _ranked(rng: np.random.Generator, seed: int) -> list[Task]:
    articles = _articles(rng, 30)
    references = [References(article.id, (Reference(_text(rng)),)) for article in articles]
    by_id = {article.id: article for article in articles}
    return making.rank_tasks(_outputs(rng, articles), references, by_id)


def _graded_comments(rng: np.random.Generator, seed: int) -> list[Task]:
    return making.grade_comment_tasks(_threads(rng, 20, 5))


def _graded_outputs(rng: np.random.Generator, seed: int) -> list[Task]:
    threads = _threads(rng, 24, 1)
    articles = [thread.article for thread in threads]
    return making.grade_output_tasks(_outputs(rng, articles), articles, threads, (), seed=seed)


def _single_outputs(rng: np.random.Generator, seed: int) -> list[Task]:
    articles = _articles(rng, 30)
    return making.single_output_tasks(_outputs(rng, articles), articles)


def _voted(rng: np.random.Generator, seed: int) -> list[Task]:
    return making.constructive_tasks(_threads(rng, 20, 5), bundle=5, seed=seed)


def _related(rng: np.random.Generator, seed: int) -> list[Task]:
    clusters = [
        Cluster(
            f"k{number}",
            tuple(
                ClusterArticle(
                    f"k{number}x{place}", _text(rng), title=_text(rng, 5), origin="found"
                )
                for place in range(5)
            ),
            summary=_text(rng),
        )
        for number in range(20)
    ]
    return making.relate_tasks(clusters, sample=None, seed=seed)


DESIGNS = (
    Design("rank", "rank", _ranked),
    Design("grade, comments", "grade", _graded_comments),
    Design("grade, outputs", "grade", _graded_outputs),
    Design("grade, one by one", "grade", _single_outputs),
    Design("constructive", "constructive", _voted),
    Design("relate", "relate", _related),
)


def shown(desk: Desk, client: TestClient, design: Design, seed: int) -> Shown:
    """Run one campaign and return all that its first annotator was shown, and the truth."""
    rng = np.random.default_rng([seed, DESIGNS.index(design)])
    form = protocol(design.form)
    tasks = design.tasks(rng, seed)
    questions = made_controls(form, tasks, seed=seed)
    named = [(f"control-{number}", each) for number, each in enumerate(questions, 1)]
    tasks = with_controls(tasks, named, form, seed=seed)
    campaign = f"{design.name} {seed}"
    desk.store.create(campaign, form, tasks, PEOPLE, per_item=2, seed=seed)
    sheet = sheet_of(desk.store, campaign, WHO)
    screens = list(_screens(desk, client, campaign))
    before = list(_cells(sheet, ""))
    _answer_all(desk.store, campaign, form, rng)
    after = list(_cells(sheet_of(desk.store, campaign, WHO), "answered "))
    guide = list(_guide(sheet_of(desk.store, campaign, WHO))) if form.kind == "rank" else []
    guesses = list(_guesses(sheet, seed))
    sources = _sources(tasks)
    contexts = Counter(row.task.context for row in sheet.rows)
    texts = [(position, row, place) for position, row in enumerate(sheet.rows) for place in range(len(row.order))]  # fmt: skip
    rows: list[dict[str, float]] = []
    truths = []
    for number, (position, row, place) in enumerate(texts):
        target = row.shown[place]
        features: dict[str, float] = {"position": position, "place": place}
        features |= {"outputs": len(row.order), "same context": contexts[row.task.context]}
        features |= _sizes("text", target.text) | screens[position] | before[number] | after[number]
        rows.append(features | guesses[position] | (guide[number] if guide else {}))
        truths.append(Truth(target.answer is not None, sources[row.task.id, target.id]))
    names = tuple(rows[0])
    return Shown(names, np.array([[row[key] for key in names] for row in rows]), tuple(truths))


def _sources(tasks: Sequence[Task]) -> dict[tuple[str, str], int]:
    """Return the system of each text as a number, or where no system wrote it its place in the input modulo 3."""
    return {
        (task.id, target.id): SYSTEMS.index(target.id)
        if target.id in SYSTEMS
        else (number + place) % 3
        for number, task in enumerate(tasks)
        for place, target in enumerate(task.targets)
    }


def _sizes(name: str, text: str) -> dict[str, float]:
    return {f"{name} characters": len(text), f"{name} words": len(text.split())}


def _digits(name: str, value: int) -> dict[str, float]:
    """Return a number as features: itself, its remainders and its last bytes."""
    features = {name: float(value)}
    features |= {f"{name} mod {modulus}": value % modulus for modulus in _MODULI}
    return features | {f"{name} byte {place}": value >> 8 * place & 255 for place in range(3)}


def _screens(desk: Desk, client: TestClient, campaign: str) -> Iterator[dict[str, float]]:
    """Yield the features of each task on the web and in the API, in the order shown."""
    token = desk.access.invite(campaign, WHO).token
    client.cookies.clear()
    client.post(f"/join/{token}")
    key = desk.access.add_key("own", ["judge"], campaign=campaign, annotator=WHO).token
    home = f"/annotate/{slug(campaign)}"
    listed = client.get(f"/api/v1/campaigns/{slug(campaign)}/tasks", headers={"authorization": f"Bearer {key}"}).json()["tasks"]  # fmt: skip
    paths = re.findall(rf'href="({re.escape(home)}/tasks/(\d+))"', client.get(home).text)
    numbers = [int(number) for _, number in paths]
    order = np.argsort(np.argsort(numbers)).tolist()
    for place, (path, number) in enumerate(paths):
        began = time.perf_counter()
        page = client.get(path)
        seconds = time.perf_counter() - began
        features = _digits("number", int(number)) | _digits("place of number", order[place])
        features |= {"step": numbers[place] - numbers[place - 1], "seconds": seconds}
        features |= {"page bytes": len(page.content), "headers": len(page.headers)}
        features |= {"header bytes": sum(len(one) + len(two) for one, two in page.headers.items())}
        row = listed[place]
        features |= _digits("api", int(str(row["task"]).strip("#"))) | {"api fields": len(row)}
        yield features | {"api bytes": len(json.dumps(row)), "context parts": len(row["context"])}


def _answer_all(store: Store, campaign: str, form: Protocol, rng: np.random.Generator) -> None:
    """Let the annotator answer every task in the order shown."""
    for place in store.places(campaign, WHO):
        opened = store.open_task(campaign, WHO, place.number)
        assert opened is not None
        targets = opened.assignment.task.targets
        ranks = (1 + rng.permutation(len(targets))).tolist()
        values = {
            "rank": ranks, "select": (rng.random(len(targets)) < 0.5).tolist(),
            "scale": rng.integers(1, 6, len(targets)).tolist(), "label": [*form.values[:1]] * len(targets),
        }[form.kind]  # fmt: skip
        answers = {
            (target.id, question.name): value
            for target, value in zip(targets, values, strict=True)
            for question in form.questions
        }
        store.submit(campaign, WHO, opened, answers, at=AT)


def _cells(sheet: Sheet, name: str) -> Iterator[dict[str, float]]:
    """Yield the features of each text in the workbook and the CSV file of a sheet."""
    rows = list(_workbook_rows(workbook_bytes(sheet)))[1:]
    fields = list(_csv_rows(sheet))[1:]
    revisions = [_numbers_of(cells[-1]) for cells, _ in rows]
    keys = [_KEY.fullmatch(cells[0]) for cells, _ in rows]
    for number, (cells, height) in enumerate(rows):
        key = keys[number]
        assert key is not None
        task = [
            place for place, other in enumerate(keys) if other is not None and other[1] == key[1]
        ]
        within = sorted(revisions[place] for place in task).index(revisions[number])
        features = _digits(f"{name}key", int(key[3], 16)) | {f"{name}key length": len(key[3])}
        features |= _digits(f"{name}revision", revisions[number][0])
        features |= {f"{name}revision in task": within, f"{name}revision length": len(cells[-1])}
        features |= {f"{name}height": height, f"{name}filled": sum(map(bool, cells))}
        features |= {f"{name}row characters": sum(map(len, cells))}
        yield features | {f"{name}csv characters": sum(map(len, fields[number]))}


def _guide(sheet: Sheet) -> Iterator[dict[str, float]]:
    """Yield the features of each text of an answered ranking in the layout of the guide."""
    questions = len(sheet.protocol.questions)
    for cells, height in list(_workbook_rows(workbook_bytes(replace(sheet, layout="guide"))))[1:]:
        revisions = _numbers_of(cells[-1])
        outputs = len(revisions) // questions
        first = revisions[:outputs]  # of the first question
        for place in range(outputs):
            features = {"guide height": height, "guide revision in task": sorted(first).index(first[place])}  # fmt: skip
            yield features | {"guide output characters": len(cells[2 + place])}


def _numbers_of(revision: str) -> list[int]:
    """Return the parts of a cell of revisions as numbers, whatever they are."""
    return [int(part, 16) % 2**48 for part in revision.removeprefix("r").split("-")]


def _csv_rows(sheet: Sheet) -> Iterator[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sheet.csv"
        write_csv(path, sheet)
        yield from csv.reader(io.StringIO(path.read_text("utf-8-sig")))


def _workbook_rows(content: bytes) -> Iterator[tuple[list[str], float]]:
    """Yield the cells and the height of each row of answers, from the XML of a workbook."""
    main = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet2.xml"))
    for row in sheet.iter(f"{main}row"):
        cells = ["".join(part.text or "" for part in cell.iter()) for cell in row]
        yield cells, float(row.get("ht", 0))


def _guesses(sheet: Sheet, seed: int) -> Iterator[dict[str, float]]:
    """Yield which guessed ids of a task reproduce its row's key, with no secret or with one that is known."""
    secrets = ["", sheet.campaign, sheet.annotator, str(seed)]
    digests = {line.number: line.digest for line in lines(sheet)}
    for number, row in enumerate(sheet.rows, 1):
        texts = [target.text for target in row.shown]
        systems = [f"{row.task.item}|{system}" for system in SYSTEMS]
        controls = [f"control-{guess}" for guess in range(1, _GUESSED_CONTROLS)]
        hits = []
        for guess in systems + controls:
            parts = [sheet.campaign, sheet.annotator, guess, row.task.context, texts]
            text = json.dumps(parts).encode()
            digest = digests[number]
            unkeyed = hashlib.sha256(text).hexdigest().startswith(digest)
            guessed = (hmac.new(key.encode(), text, "sha256").hexdigest() for key in secrets)
            hits.append(unkeyed or any(each.startswith(digest) for each in guessed))
        system = hits.index(True) if any(hits[: len(systems)]) else -1
        yield {"guessed system": system, "guessed control": any(hits[len(systems) :])}


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))


def _trees() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=15, random_state=0)


_LEARNERS: Mapping[str, Callable[[], Any]] = {"logistic": _logistic, "trees": _trees}


@dataclass(frozen=True, slots=True)
class Recognised:
    """How well something is recognised in campaigns that the learner did not see: the mean AUC within one, and its standard error."""

    what: str
    learner: str
    auc: float
    error: float

    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval of the AUC at a level of confidence."""
        from scipy import stats

        half = float(stats.norm.ppf((1 + level) / 2)) * self.error
        return self.auc - half, self.auc + half


def recognised(learned: Sequence[Shown], tested: Sequence[Shown]) -> list[Recognised]:
    """Return how well each learner recognises controls, and sources, in campaigns that it did not see.

    Learning and testing on the same campaigns in turn (cross-validation) would understate the error by a factor of √2: folds share campaigns.
    """
    texts_learned, texts_tested = (
        [_without_controls(view) for view in views] for views in (learned, tested)
    )
    sources = [_is_source(source) for source in range(len(SYSTEMS))]
    results = []
    for learner in _LEARNERS:
        results.append(_measured("control", learner, learned, tested, [_is_control]))
        results.append(_measured("source", learner, texts_learned, texts_tested, sources))
    return results


def permuted(view: Shown, seed: int) -> Shown:
    """Return what was shown with the truths in another order."""
    order = np.random.default_rng(seed).permutation(len(view.truths))
    return Shown(view.names, view.features, tuple(view.truths[place] for place in order))


def _is_control(truth: Truth) -> bool:
    return truth.control


def _is_source(source: int) -> Callable[[Truth], bool]:
    return lambda truth: truth.source == source


def _without_controls(view: Shown) -> Shown:
    """Return the texts that are no controls, which have no source."""
    kept = [place for place, truth in enumerate(view.truths) if not truth.control]
    return Shown(view.names, view.features[kept], tuple(view.truths[place] for place in kept))


def _measured(
    what: str,
    learner: str,
    learned: Sequence[Shown],
    tested: Sequence[Shown],
    labels: Sequence[Callable[[Truth], bool]],
) -> Recognised:
    """Return the AUC of a learner within campaigns, the mean over labels (one against the rest) and campaigns."""
    aucs = np.empty((len(labels), len(tested)))  # labels × campaigns
    for number, label in enumerate(labels):
        model = _LEARNERS[learner]()
        truths = [label(truth) for view in learned for truth in view.truths]
        model.fit(np.concatenate([view.features for view in learned]), np.array(truths, int))
        for place, view in enumerate(tested):
            own_truths = np.array([label(truth) for truth in view.truths], int)
            aucs[number, place] = auc(model.predict_proba(view.features)[:, 1], own_truths)
    means = aucs.mean(axis=0)
    return Recognised(
        what, learner, float(means.mean()), float(np.std(means, ddof=1) / np.sqrt(len(means)))
    )


def auc(predicted: Floats, labels: Ints) -> float:
    """Return the probability that a positive has the higher score, ties counting half."""
    from scipy.stats import rankdata

    ranks, positive = rankdata(predicted), labels == 1
    count = int(positive.sum())
    excess = ranks[positive].sum() - count * (count + 1) / 2
    return float(excess / (count * (len(labels) - count)))


def single_features(views: Sequence[Shown], what: Callable[[Truth], bool]) -> list[tuple[float, str]]:  # fmt: skip
    """Return the mean AUC within campaigns of every single feature, the farthest from .5 first."""
    values: dict[str, list[float]] = defaultdict(list)
    for view in views:
        labels = np.array([what(truth) for truth in view.truths], int)
        for place, name in enumerate(view.names):
            values[name].append(auc(view.features[:, place], labels))
    means = [(float(np.mean(row)), name) for name, row in values.items()]
    return sorted(means, key=lambda entry: -abs(entry[0] - 0.5))
