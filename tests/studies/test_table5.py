"""Table 5: folds that keep clusters apart, several references, where greed falls short, and what is refused."""

from __future__ import annotations

import dataclasses
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from newsdesk import records, samples
from newsdesk.errors import ArgumentError, DataError
from newsdesk.studies.table5 import shortfalls, table5
from newsdesk.studies.table5_result import table5_json, table5_markdown
from newsdesk.summarizers import evaluate, summarizer
from newsdesk.summarizers.regression import RougeRegression, Tsr
from newsdesk.text import tokenizer
from newsdesk.types import Cluster, ClusterArticle, Reference, References
from newsdesk.work import Progress

# Eleven tokens and seven words, then seven tokens and six words.
LISTED = "Anna, Ben, Carl, Dora took the ferry. It was ten when it left."
LSA = "tsr(encoder='lsa(dimensions=8)')"


def test_without_trained_methods_it_is_the_plain_evaluation() -> None:
    methods = ["oracle-multi", "centroid", "random"]
    ours = table5(samples.clusters(), methods, unit="words", samples=50, seed=3)
    plain = evaluate(samples.clusters(), methods, samples=50, seed=3)
    assert ours == plain


def test_a_trained_method_never_sees_the_cluster_it_summarizes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learned_from: dict[int, set[str]] = {}
    alive: list[RougeRegression] = []
    fit, steps = RougeRegression.fit, Tsr.steps

    def watched_fit(self, clusters, dev=None, *, cache=None):  # type: ignore[no-untyped-def]
        listed = list(clusters)
        fitted = fit(self, listed, dev, cache=cache)
        learned_from[id(fitted)] = {each.id for each in listed}
        alive.append(fitted)  # so that no other gets its id
        return fitted

    seen: list[str] = []

    def watched_steps(self, prepared):  # type: ignore[no-untyped-def]
        assert prepared.cluster.id not in learned_from[id(self)]
        assert len(learned_from[id(self)]) in (8, 9)
        seen.append(prepared.cluster.id)
        return steps(self, prepared)

    monkeypatch.setattr(RougeRegression, "fit", watched_fit)
    monkeypatch.setattr(Tsr, "steps", watched_steps)
    found = table5(samples.clusters(), [LSA, "lead"], folds=4, samples=20)
    assert sorted(seen) == sorted(each.id for each in samples.clusters())
    assert found.ids == tuple(each.id for each in samples.clusters())
    (signature,) = found.rows[0].signatures
    assert "|fitted:4-folds|" in signature
    assert found.rows[0].system == str(summarizer(LSA).spec)


def test_folds_depend_on_seed_and_ids_alone() -> None:
    one = table5(samples.clusters(), ["tsr"], samples=20)
    backwards = table5(samples.clusters()[::-1], ["tsr"], samples=20)
    assert backwards.ids == one.ids[::-1]
    assert backwards["tsr"].scores["R1-F"].items == (one["tsr"].scores["R1-F"].items or ())[::-1]


def test_a_model_that_is_given_is_used_as_it_is() -> None:
    one = summarizer(LSA)
    assert isinstance(one, RougeRegression)
    fitted = one.fit(samples.clusters()[:6])
    found = table5(samples.clusters()[6:], [fitted], samples=20)
    texts = evaluate(samples.clusters()[6:], [fitted], samples=20)
    assert found.rows[0].scores["R1-F"] == texts.rows[0].scores["R1-F"]


def test_the_limit_counts_tokens_unless_words_are_asked_for() -> None:
    cluster = Cluster("c", (ClusterArticle("a", LISTED),), summary="The ferry left.")
    by_tokens = table5([cluster], ["lead", "lead(unit='words')"], max_words=13, samples=9)
    assert [row.system for row in by_tokens.rows] == [
        "lead(max_words=13)",
        "lead(max_words=13, unit='words')",
    ]
    short, long = (row.scores for row in by_tokens.rows)
    assert short["R1-R"].signature.endswith("|cut:13-tokens")
    assert "|unit:tokens|" in by_tokens.rows[0].signatures[0]
    # Thirteen tokens are one sentence, thirteen words are two.
    assert short["R1-F"].value == pytest.approx(2 * 2 / (7 + 3))
    assert long["R1-F"].value == pytest.approx(2 * 3 / (13 + 3))
    # Cut after thirteen tokens even the longer one says no more than the shorter.
    assert long["R1-R"].value == short["R1-R"].value == pytest.approx(2 / 3)
    (by_words,) = table5([cluster], ["lead"], unit="words", max_words=13, samples=9).rows
    assert by_words.system == "lead(max_words=13)"
    assert by_words.scores["R1-R"].value == pytest.approx(1)
    assert by_words.scores["R1-R"].signature.endswith("|cut:13-words")


def test_no_centroid_summary_of_real_clusters_has_more_than_forty_tokens(shared_data: Path) -> None:
    method = summarizer("centroid", unit="tokens")
    path = shared_data / "wcep_real" / "clusters_train.jsonl"
    texts = [method.summarize(each).text for each in islice(records.read(path, Cluster), 100)]
    sizes = [len(tokenizer("en").words(text)) for text in texts]
    assert max(sizes) == 40


def test_the_figure_of_several_references_is_their_mean() -> None:
    clusters = samples.clusters()[:3]
    told = [
        References(each.id, (Reference(each.summary or ""), Reference("A storm hit the town.")))
        for each in clusters
    ]
    found = table5(clusters, ["centroid", "oracle-multi"], references=told, samples=50)
    assert found.ids == tuple(each.id for each in clusters)
    for row in found.rows:
        singles = [
            table5(
                [
                    dataclasses.replace(each, summary=refs.references[number].text)
                    for each, refs in zip(clusters, told, strict=True)
                ],
                [row.system],
                samples=50,
            )[row.system].scores["R2-F"]
            for number in (0, 1)
        ]
        score = row.scores["R2-F"]
        means = np.mean([each.items for each in singles], axis=0)
        assert score.items == pytest.approx(means)
        assert score.value == pytest.approx(means.mean()) and score.n == 3
        assert score.signature.endswith("|mean-over-references")
        assert score.ci is not None
        assert score.ci[0] <= score.value <= score.ci[1]


def test_a_cluster_with_more_references_counts_no_more_than_another() -> None:
    clusters = samples.clusters()[:3]
    extra = (Reference("A storm hit the town."), Reference("Nothing else."))
    told = [
        References(each.id, (Reference(each.summary or ""), *(extra if number == 0 else ())))
        for number, each in enumerate(clusters)
    ]
    (row,) = table5(clusters, ["centroid"], references=told, samples=20).rows
    score = row.scores["R1-F"]
    assert score.n == 3 and score.value == pytest.approx(np.mean(score.items))


def test_a_method_that_draws_does_not_draw_anew_for_another_reference() -> None:
    clusters = samples.clusters()[:4]
    twice = [References(each.id, (Reference(each.summary or ""),) * 3) for each in clusters]
    several = table5(clusters, ["random", "submodular"], references=twice, samples=20)
    one = table5(clusters, ["random", "submodular"], samples=20)
    for row in several.rows:
        assert row.scores["R1-F"].items == pytest.approx(one[row.system].scores["R1-F"].items)


def test_a_choice_that_greed_missed_is_counted() -> None:
    first = "Alpha bravo charlie delta echo foxtrot golf."
    second = "Hotel india juliet kilo lima mike november."
    greedy = "Alpha bravo charlie delta echo foxtrot hotel india juliet kilo lima mike xray zulu."
    text = f"{first}\n\n{second}\n\n{greedy}"
    missed = Cluster("missed", (ClusterArticle("a", text),), summary=f"{first} {second}")
    found = table5(
        [missed, *samples.clusters()[:2]], ["oracle-multi", "lead"], max_words=20, samples=20
    )
    above = {"lead(max_words=20)": ("missed",)}
    assert shortfalls(found) == {"oracle-multi(max_words=20)": above}
    assert shortfalls(table5([missed], ["lead"], samples=20)) == {}


def test_the_table_shows_itself_as_json_and_markdown() -> None:
    methods = ["oracle-single", "oracle-multi", "lead"]
    found = table5(samples.clusters(), methods, samples=50)
    tests = found.against("lead")
    written = table5_json(found, "lead")
    assert [row["system"] for row in written["systems"]] == methods
    assert len(written["against"]) == 2 * 6
    assert set(written["against"][0]) == {"system", "measure", "difference", "ci", "p"}
    assert written["against"][0]["p"] == tests["oracle-single"]["R1-F"].p_corrected
    assert table5_json(found)["against"] == []
    shown = table5_markdown(found, "lead")
    assert "Above oracle-single in R1-F: oracle-multi in" in shown
    assert "R1-F minus that of lead" in shown
    assert all(row.signatures[0] in shown for row in found.rows)
    assert "minus that of" not in table5_markdown(found)


def test_progress_hears_of_every_cluster_once() -> None:
    finished: list[Progress] = []
    table5(samples.clusters()[:3], ["lead"], samples=20, progress=finished.append)
    assert sorted(each.step for each in finished) == sorted(c.id for c in samples.clusters()[:3])


def test_what_cannot_be_studied_is_refused() -> None:
    clusters = samples.clusters()[:2]
    with pytest.raises(ArgumentError, match="no clusters"):
        table5([], ["lead"])
    with pytest.raises(ArgumentError, match="a method is given twice"):
        table5(clusters, ["lead", "lead"])
    with pytest.raises(ArgumentError, match="folds is 1, not at least 2"):
        table5(clusters, ["lead"], folds=1)
    with pytest.raises(DataError, match="has no `summary`"):
        table5([Cluster("c", ())], ["lead"])
    with pytest.raises(DataError, match=f"no references for cluster {clusters[1].id!r}"):
        told = [References(clusters[0].id, (Reference("x"),))]
        table5(clusters, ["lead"], references=told)
    with pytest.raises(ArgumentError, match="no other clusters to learn from"):
        table5(clusters[:1], [LSA])
