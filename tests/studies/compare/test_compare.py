"""Systems compared: groups that cannot be told apart, differences at equal length, ranks, and a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from newsdesk.cli.main import main
from newsdesk.errors import ArgumentError
from newsdesk.metrics.systems import join
from newsdesk.results.systems import systems_chapter
from newsdesk.stats.equal_length import at_equal_length
from newsdesk.stats.rankings import apart_by_ranks, letters, nemenyi_distance
from newsdesk.stats.significance import correct
from newsdesk.studies.compare import CompareSettings, compare
from newsdesk.studies.correlate.tables import HumanScores
from newsdesk.types import Output, Reference, References

FEW = CompareSettings(samples=500)


def grades(means: dict[str, float], items: int = 60, seed: int = 0) -> HumanScores:
    rng = np.random.default_rng(seed)
    return HumanScores(
        "grade",
        {
            (f"i{item}", name): tuple(np.clip(np.rint(mean + rng.normal(size=2)), 1, 5))
            for item in range(items)
            for name, mean in means.items()
        },
    )


def test_systems_that_differ_get_letters_of_their_own_and_equals_share_one() -> None:
    study = compare(human=[grades({"good": 4.2, "also": 4.2, "poor": 2.0}, seed=2)], settings=FEW)
    groups = {row.system: row.measures["grade"].groups for row in study.systems}
    assert groups["good"] == groups["also"] == "A"
    assert groups["poor"] == "B"
    assert "but cannot be told apart from" in study.verdict
    (ranks,) = study.ranks
    assert ranks.friedman.p is not None and ranks.friedman.p < 0.01
    assert ranks.systems[-1].system == "poor"
    assert {each.groups for each in ranks.systems[:2]} == {"A"}
    assert ranks.systems[0].strength > 0 > ranks.systems[-1].strength
    assert all(sum(each.places) == 60 for each in ranks.systems)
    assert ranks.systems[0].places[0] > ranks.systems[-1].places[0]


def test_p_values_are_corrected_for_the_pairs_and_groups_follow_the_corrected_ones() -> None:
    human = grades({"a": 3.0, "b": 3.2, "c": 3.4, "d": 3.5}, seed=1)
    study = compare(human=[human], settings=FEW)
    ps = [pair.p for pair in study.comparisons]
    assert [pair.p_corrected for pair in study.comparisons] == correct(ps, "holm").tolist()
    lost = [pair for pair in study.comparisons if pair.p < 0.05 <= pair.p_corrected]
    groups = {row.system: set(row.measures["grade"].groups) for row in study.systems}
    assert lost
    for pair in study.comparisons:
        assert bool(groups[pair.first] & groups[pair.second]) == (pair.p_corrected >= 0.05)
        assert pair.ci[0] < pair.difference < pair.ci[1]


def test_wins_ties_and_losses_add_up_to_the_items() -> None:
    study = compare(human=[grades({"a": 3.0, "b": 3.5})], settings=FEW)
    (pair,) = study.comparisons
    assert pair.wins + pair.ties + pair.losses == pair.n == 60
    assert pair.ties > 0
    assert pair.losses > pair.wins and pair.difference < 0  # `a` is first, and worse


def test_a_lead_that_length_explains_vanishes_at_equal_length() -> None:
    rng = np.random.default_rng(1)
    words = np.exp(rng.normal(3, 0.5, size=(300, 2)))
    words[:, 0] *= 1.6
    scores = np.log2(1 + words) + rng.normal(0, 0.3, size=words.shape)
    equal = at_equal_length(scores, words, samples=500, seed=0)
    assert equal is not None
    apart, ends = equal.difference(0, 1, 300)
    assert (scores[:, 0] - scores[:, 1]).mean() > 0.5
    assert abs(apart) < 0.1
    assert ends is not None and ends[0] < 0 < ends[1]
    assert equal.slope == pytest.approx(1.0, abs=0.1)
    assert at_equal_length(scores, np.full_like(words, 7.0), samples=100, seed=0) is None


def test_what_length_does_not_explain_is_left_first_minus_second() -> None:
    rng = np.random.default_rng(1)
    words = np.exp(rng.normal(3, 0.5, size=(300, 3)))
    scores = np.log2(1 + words) + np.array([0.0, 1.0, 3.0]) + rng.normal(0, 0.3, size=words.shape)
    equal = at_equal_length(scores, words, samples=200, seed=0)
    assert equal is not None
    for first, second, expected in ((0, 1, -1.0), (2, 1, 2.0), (2, 0, 3.0)):
        apart, ends = equal.difference(first, second, 300)
        assert apart == pytest.approx(expected, abs=0.1)
        assert ends is not None and ends[0] < apart < ends[1]


def test_texts_and_people_stand_in_one_table_and_length_is_counted_in_words() -> None:
    references = [
        References(f"i{n}", (Reference("the cat sat on the mat", 0.5),)) for n in range(8)
    ]
    outputs = [
        Output(f"i{n}", name, text)
        for n in range(8)
        for name, text in (("long", "the cat sat on the mat , really ."), ("short", "a dog"))
    ]
    people = grades({"long": 4.0, "short": 2.0}, items=8)
    study = compare(
        join(outputs, references), ["rouge-1", "w-meteor"], human=[people], settings=FEW
    )
    assert study.measures == ["grade", "rouge-1", "w-meteor"]
    assert {row.system: row.words for row in study.systems} == {"long": 7.0, "short": 2.0}
    shown = study.as_json()
    assert list(shown)[:2] == ["systems", "comparisons"]
    assert shown["systems"][0]["measures"]["rouge-1"]["parts"]["r"] == 1.0
    assert shown["verdict"].startswith("long leads by grade")


def test_letters_may_overlap() -> None:
    assert letters(["a", "b", "c", "d"], {frozenset("ac"), frozenset("ad"), frozenset("bd")}) == {
        "a": "A",
        "b": "AB",
        "c": "BC",
        "d": "C",
    }


def test_the_critical_distance_is_that_of_demsar() -> None:
    # Demšar (2006): q.05 = 2.569 for four methods, 14 data sets.
    assert nemenyi_distance(4, 14) == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=1e-3)


def test_systems_are_apart_from_the_critical_distance_on() -> None:
    assert apart_by_ranks({"a": 1.0, "b": 2.5, "c": 2.0}, 1.5) == {frozenset("ab")}


def test_nothing_to_compare_is_said() -> None:
    with pytest.raises(ArgumentError, match="nothing to compare by"):
        compare()
    with pytest.raises(ArgumentError, match="one system only"):
        compare(human=[grades({"a": 3.0})], settings=FEW)


def test_the_chapter_shows_systems_best_first_and_rank_bars() -> None:
    means = {f"s{place:02d}": 1.0 + 0.25 * place for place in range(14)}
    chapter = systems_chapter(compare(human=[grades(means)], settings=FEW).as_json())
    table = next(chapter.section.tables)
    assert [row[0] for row in table.rows][:1] == ["s13"]
    html = chapter.section.inner(exports=False)
    assert "how often each system came first" in html and html.count("<svg") == 4
    assert "<summary>Groups of systems that cannot be told apart</summary>" in html


def test_ranks_of_a_table_decide_who_leads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = {"A": 3, "B": 1, "C": 1, "D": 2}  # the guide for evaluators: ranks with a tie
    rows = [f"{item},{system},{rank}" for item in range(12) for system, rank in guide.items()]
    path = tmp_path / "ranks.csv"
    path.write_text("\n".join(["id,system,overall", *rows]) + "\n", "utf-8")
    command = ["study", "compare", "--human", str(path), "--samples", "100"]
    assert main(command) == 1
    assert "--protocol rank" in capsys.readouterr().err
    assert main([*command, "--protocol", "rank"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("B leads by overall")
    ranked = [
        line.split()[:2] for line in shown.partition("by rank (overall)")[2].splitlines()[1:5]
    ]
    assert ranked == [["B", "1.500"], ["C", "1.500"], ["D", "3.000"], ["A", "4.000"]]
    assert main([*command[:2], "--campaign", "x", "--protocol", "rank"]) == 2


def test_judgments_of_models_do_not_count_unless_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"campaign": "c", "task": f"t{n}", "item": f"i{n}", "target": target, "question": "grade", "annotator": who, "value": grade if who == "ann" else 3, "via": via}
        for n in range(6)
        for target, grade in (("a", 5), ("b", 1))
        for who, via in (("ann", "sheet"), ("llm", "model"))
    ]  # fmt: skip
    path = tmp_path / "judgments.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    common = ["study", "compare", "--judgments", str(path), "--protocol", "grade", "--samples", "200", "--json"]  # fmt: skip
    means = []
    for more in ([], ["--include-models"]):
        assert main([*common, *more]) == 0
        shown = json.loads(capsys.readouterr().out)
        means.append([row["measures"]["grade"]["value"] for row in shown["systems"]])
    assert means == [[5.0, 1.0], [4.0, 2.0]]
