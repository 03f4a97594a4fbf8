"""The study as a user meets it: JSON, page, gains with shuffled weights, the row of people, the same bytes twice, and honest intervals."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from newsdesk import simulate
from newsdesk.cli.main import main
from newsdesk.metrics.systems import join
from newsdesk.results.metric_tests import WeightingGain, gain_sentences
from newsdesk.studies.correlate.correlations import correlate
from newsdesk.studies.correlate.outputs import (
    best_epsilon,
    disagreements,
    normalized,
    scatter_noise,
    scatter_points,
)
from newsdesk.studies.correlate.study import CorrelateSettings, correlations_of, study_question
from newsdesk.studies.correlate.tables import (
    TABLE1,
    HumanScores,
    MetricScores,
    metric_scores,
    with_paper_readings,
)
from newsdesk.types import Output, References


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    simulate.write_world(
        simulate.world(seed=7, preset="base", events=30, comments=20), folder / "w"
    )
    return folder / "w"


def words(world: Path, *more: str) -> list[str]:
    return [
        "study", "correlate", str(world / "outputs.jsonl"), "--references", str(world / "references.jsonl"),
        "--judgments", str(world / "judgments-grade-outputs.jsonl"), "--samples", "200", *more,
    ]  # fmt: skip


def test_json_has_every_row_of_table_1_and_people_and_is_the_same_twice(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for _ in range(2):
        assert main(words(world, "--metrics", "table1", "--shuffles", "1", "--json")) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    result = json.loads(printed[0])
    assert list(result)[:2] == ["correlations", "tests"]
    pooled = [row for row in result["correlations"] if row["level"] == "pooled"]
    assert [row["metric"] for row in pooled] == [*TABLE1, "Human"]
    for row in pooled:
        assert set(row) == {
            "metric",
            "human",
            "level",
            "pearson",
            "spearman",
            "kendall",
            "kendall_c",
            "n",
            "signature",
        }
        assert set(row["spearman"]) == {"value", "ci", "p"}
    human = pooled[-1]["spearman"]
    assert 0.6 < human["value"] < 0.9 and human["ci"][0] < human["value"] < human["ci"][1]
    assert {gain["weighted"] for gain in result["gains"]} == {
        name for name in TABLE1 if name.startswith("w-")
    }
    assert result["instance"]["references"] and result["examples"]


def test_a_page_is_written_once_and_shows_plots(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.html"
    command = words(world, "--metrics", "bleu-1,meteor,w-meteor", "--shuffles", "1", "-o", str(out))
    assert main(command) == 0
    page = out.read_text("utf-8")
    assert page.count("<svg") == 3  # scatter plots, intervals, gains of weights
    assert "stroke-linecap: round" in page and "Noise of standard deviation 0.05" in page
    for text in ("Where bleu-1 and meteor disagree", "Where meteor and w-meteor disagree"):
        assert f"<summary>{text}</summary>" in page
    assert "One whole item" in page and "<h4>LaTeX</h4>" in page
    assert page.index('class="verdict"') < page.index("<svg") < page.index("<table")
    assert f"newsdesk study correlate {world}/outputs.jsonl" in page and str(out) not in page
    assert main(command) == 1
    assert "exists already" in capsys.readouterr().err


def test_ready_values_need_no_texts_and_two_sources_of_people_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    human, values = ["id,system,q"], ["id,system,mine"]
    for item in range(30):
        for system in "abcd":
            quality = rng.normal()
            human.append(f"{item},{system},{round(3 + quality)}")
            values.append(f"{item},{system},{quality + rng.normal():.4f}")
    for name, lines in (("human.csv", human), ("values.csv", values)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    given = [
        "study",
        "correlate",
        "--human",
        str(tmp_path / "human.csv"),
        "--values",
        str(tmp_path / "values.csv"),
        "--samples",
        "200",
    ]
    for resample in ("items", "both"):
        assert main([*given, "--json", "--resample", resample]) == 0
        rows = json.loads(capsys.readouterr().out)["correlations"]
        assert [row["level"] for row in rows] == ["pooled", "item", "system"]
        assert rows[0]["n"] == 120 and rows[0]["signature"].startswith("mine|values:values.csv@")
    assert main([*given, "--campaign", "x"]) == 2
    assert main(given[:4]) == 2


def test_equal_human_scores_are_told() -> None:
    keys = [(str(item), system) for item in range(6) for system in "ab"]
    flat = HumanScores("q", dict.fromkeys(keys, (3.0,)))
    metrics = [
        MetricScores(
            name, {key: float(place * (place + shift)) for place, key in enumerate(keys)}, ""
        )
        for shift, name in enumerate(("one", "two"))
    ]
    result = correlate([flat], metrics, settings=CorrelateSettings(samples=100))
    assert result.verdict.startswith("All outputs have the same score for 'q'")
    assert not any("too few" in note for note in result.notes)
    few = HumanScores("q", {key: (float(place),) for place, key in enumerate(keys[:4])})
    assert (
        "Only 4 outputs have"
        in correlate([few], metrics, settings=CorrelateSettings(samples=100)).notes[0]
    )


def test_questions_with_the_same_answer_share_a_sentence() -> None:
    human, metrics = simulated(np.random.default_rng(3))
    falling = HumanScores("z", {key: (-value[0],) for key, value in human.values.items()})
    again = HumanScores("again", human.values)
    result = correlate(
        [human, again, falling], metrics[:1], settings=CorrelateSettings(samples=100)
    )
    second, first = result.verdict.split(". ")
    assert second.startswith("one correlates best with 'q' (") and "and 'again' (" in second
    assert first.startswith("No metric rises with 'z' within items; the highest is one (-")


def test_weights_gain_within_articles_and_shuffled_weights_do_not() -> None:
    scene = simulate.scenario("wide", 0, articles=60)
    outputs = [
        Output(*row) for row in zip(scene.articles, scene.systems, scene.candidates, strict=True)
    ]
    pools = dict(zip(scene.articles, scene.references, strict=True))
    systems = join(outputs, [References(item, refs, "en") for item, refs in pools.items()])
    grades = {
        key: (grade,)
        for key, grade in zip(
            zip(scene.articles, scene.systems, strict=True), scene.grades, strict=True
        )
    }
    metrics = metric_scores(systems, ["meteor", "w-meteor"])
    result = correlate(
        [HumanScores("grade", grades)],
        metrics,
        systems=systems,
        shuffles=2,
        settings=CorrelateSettings(samples=300),
    )
    (gain,) = [row for row in result.gains if row.level == "item" and row.coefficient == "spearman"]
    assert gain.ci is not None and gain.ci[0] > 0
    assert gain.shuffled is not None and gain.shuffled < gain.gain / 2
    assert gain.net == pytest.approx(gain.gain - gain.shuffled)
    assert gain.net_ci is not None and gain.net_ci[0] < gain.net < gain.net_ci[1]
    assert not gain.confounded
    tests = [test for test in result.tests if test.test == "permutation" and test.level == "item"]
    assert all(test.p_corrected < 0.05 for test in tests)
    json.dumps(result.as_json(), allow_nan=False)


def test_a_gain_that_survives_shuffling_is_told() -> None:
    kept = WeightingGain(
        weighted="w-meteor",
        plain="meteor",
        human="q",
        level="pooled",
        coefficient="spearman",
        gain=0.23,
        ci=(0.1, 0.3),
        shuffled=0.15,
        shuffled_ci=(0.1, 0.2),
        net=0.08,
        net_ci=(0.0, 0.1),
    )
    (said,) = gain_sentences([kept])
    assert (
        "Most of the pooled gain of w-meteor over meteor survives shuffling" in said
        and "65%" in said
    )
    lost = dataclasses.replace(
        kept, shuffled=0.01, shuffled_ci=(0.0, 0.1), net=0.2, net_ci=(0.1, 0.3)
    )
    assert gain_sentences([lost]) == []
    least = dataclasses.replace(kept, gain=0.01, shuffled=0.005)
    assert least.confounded
    assert not dataclasses.replace(least, gain=0.0099).confounded
    assert not dataclasses.replace(least, shuffled=0.0049).confounded


def test_readings_of_the_paper_stand_beside_the_defaults() -> None:
    assert with_paper_readings(["meteor", "w-meteor"]) == [
        "meteor",
        "w-meteor",
        "w-meteor(reading='paper')",
    ]


def test_normalized_scores_have_the_human_mean_and_are_clipped() -> None:
    rng = np.random.default_rng(0)
    human = np.clip(np.rint(rng.normal(3, 0.8, (50, 4))), 1, 5)
    metric = rng.exponential(size=(50, 4))
    scaled = normalized(metric, human)
    assert scaled.max() == 5.0 and scaled.min() >= 1.0
    assert scaled.mean() == pytest.approx(human.mean(), abs=0.05)


def simulated(
    rng: np.random.Generator, items: int = 40, systems: int = 6
) -> tuple[HumanScores, list[MetricScores]]:
    quality = rng.normal(size=(items, systems))
    keys = [(str(i), str(s)) for i in range(items) for s in range(systems)]
    grades = np.clip(np.rint(3 + quality + 0.5 * rng.normal(size=(items, 1))), 1, 5).ravel()
    metrics = [
        MetricScores(
            name,
            dict(
                zip(keys, (quality + rng.normal(size=quality.shape)).ravel().tolist(), strict=True)
            ),
            name,
        )
        for name in ("one", "two")
    ]
    return HumanScores(
        "q", {key: (v,) for key, v in zip(keys, grades.tolist(), strict=True)}
    ), metrics


def test_disagreements_and_points_come_from_the_study() -> None:
    part = study_question(*simulated(np.random.default_rng(0)), CorrelateSettings(samples=100))
    rows = disagreements(part.study, "one", "two", {})
    assert len(rows) == 4
    assert rows[0].first_normalized > rows[0].second_normalized
    assert rows[-1].first_normalized < rows[-1].second_normalized
    points = np.array(scatter_points(part.study, "one", 0))
    assert len(points) == 240
    apart = points[:, 0] - np.rint(points[:, 0])
    assert 0.03 < apart.std() < 0.07  # whole grades get noise of .05
    smooth = dataclasses.replace(part.study, human=part.study.human + 0.1 * part.study.metrics[0])
    assert scatter_noise(smooth) == 0.0


def test_the_threshold_for_ties_is_the_one_that_agrees_best() -> None:
    people = np.array([[0.0, 0.0, 1.0, -1.0]])
    metric = np.array([[0.02, -0.05, 0.5, -0.4]])
    assert best_epsilon(people, metric) == 0.05
    assert best_epsilon(np.array([[1.0, -1.0]]), np.array([[0.1, -0.1]])) == 0.0


def test_intervals_cover_the_truth_in_about_95_of_100_runs() -> None:
    """The long form, with 1,000 runs and 4 to 25 systems, is `python -m research correlate`."""
    rng = np.random.default_rng(1)
    big = study_question(*simulated(rng, items=4_000), CorrelateSettings(samples=100))
    hits: dict[tuple[str, str], int] = {}
    for run in range(120):
        settings = CorrelateSettings(samples=200, seed=run)
        part = study_question(*simulated(rng), settings)
        for row in correlations_of(part, settings)[:2]:
            for name in ("pearson", "spearman", "kendall"):
                ends: Any = row.coefficient(name).ci
                truth = big.value(row.level, name, "one")
                hits[row.level, name] = hits.get((row.level, name), 0) + (
                    ends[0] <= truth <= ends[1]
                )
    assert all(0.88 <= count / 120 <= 1.0 for count in hits.values()), hits
