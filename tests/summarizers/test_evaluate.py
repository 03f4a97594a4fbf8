"""Table 5: the figures, their intervals, paired tests, and what an evaluation refuses."""

from __future__ import annotations

import pytest

from newsdesk import samples
from newsdesk.errors import ArgumentError, DataError
from newsdesk.metrics import metric
from newsdesk.registry import SUMMARIZERS
from newsdesk.summarizers import evaluate, evaluate_outputs, summarizer
from newsdesk.summarizers.evaluate import MEASURES, paper_values, truncated
from newsdesk.text import tokenizer
from newsdesk.types import Cluster, ClusterArticle, Output, Reference, References
from tests.summarizers.examples import EXTRACTIVE, ready


def test_f_is_of_the_whole_and_recall_of_the_cut_text() -> None:
    reference = "the storm hit the harbour"
    text = "The storm, they said, hit the harbour."
    found = evaluate_outputs(
        [Output("a", "s", text)], [References("a", (Reference(reference),))], max_words=4, samples=9
    )["s"].scores
    whole = metric("rouge-1(profile='perl')").score(text, [reference], lang="en")
    assert found["R1-F"].value == whole.parts["f"]
    assert found["R1-R"].value == 2 / 5  # the storm they said
    assert found["R1-R"].signature.endswith("|cut:4-words")
    longest = metric("rouge-l(profile='perl')").score(text, [reference], lang="en")
    assert found["RL-F"].value == longest.value


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_a_cut_text_is_a_beginning_with_so_many_words(lang: str) -> None:
    text = samples.threads(lang)[0].article.text
    for limit in (1, 7, 40):
        cut = truncated(text, limit, lang)
        assert text.startswith(cut)
        tokens = tokenizer(lang).words(text)
        words = [token for token in tokens if any(map(str.isalnum, token))]
        assert cut.endswith(words[limit - 1])
        cut = truncated(text, limit, lang, "tokens")
        assert tokenizer(lang).words(cut) == tokens[:limit]
    assert truncated(text, 10**6, lang) == text


def test_every_method_has_every_figure_with_an_interval_and_signatures() -> None:
    method = [ready(name) for name in EXTRACTIVE]
    found = evaluate(samples.clusters(), method, samples=200)
    assert [row.system for row in found.rows] == [str(each.spec) for each in method]
    assert found.ids == tuple(cluster.id for cluster in samples.clusters())
    for row in found.rows:
        assert tuple(row.scores) == MEASURES
        for score in row.scores.values():
            assert score.ci is not None
            assert score.ci[0] <= score.value <= score.ci[1]
            assert len(score.items or ()) == score.n == 12
        assert row.signatures == (f"{summarizer(row.system).signature}|tok:en.1",)


def test_a_paired_test_finds_a_difference_and_no_difference() -> None:
    found = evaluate(samples.clusters(), ["centroid", "random", "lead"], samples=2000)
    ours = found.compare("centroid", "random")["R1-F"]
    assert ours.p < 0.01 < ours.low
    assert found.compare("lead", "lead")["R2-F"].difference == 0.0
    against = found.against("random")
    assert list(against) == ["centroid", "lead"]
    single = found.compare("lead", "random")["R1-F"]
    assert single.p <= against["lead"]["R1-F"].p_corrected <= 2 * single.p
    with pytest.raises(ArgumentError, match="no method here is called 'tsr'"):
        found.against("tsr")


def test_methods_may_be_values_with_settings() -> None:
    method = summarizer("centroid", redundancy=0.2, max_words=20)
    found = evaluate(samples.clusters(), [method, "random"], seed=3, samples=9)
    assert [row.system for row in found.rows] == [
        "centroid(max_words=20, redundancy=0.2)",
        "random(seed=3)",
    ]


def test_the_table_shows_the_paper_s_values_below_ours() -> None:
    found = evaluate(samples.clusters(), ["textrank", "lead"], samples=50)
    lines = found.markdown().splitlines()
    assert lines[0] == f"| method | {' | '.join(MEASURES)} |"
    assert lines[2].startswith("| textrank | 0.")
    assert lines[3] == (
        "| … in the paper, WCEP-100 test | 0.341 | 0.131 | 0.250 | 0.387 | 0.152 | 0.287 |"
    )
    assert lines[4].startswith("| lead |")
    assert any(line.startswith("- `textrank|max_words:40") for line in lines)
    assert any(line.startswith("- `rouge-l(profile='perl', report='r')|") for line in lines)


def test_the_paper_s_table_is_whole() -> None:
    ours = {"lead", "lead-interleaved", "lexrank", "mmr", "kl", "expected-rouge", "llm"}
    assert {name for name in SUMMARIZERS if not paper_values(name)} == ours
    assert paper_values("oracle-multi(max_words=60)")["R1-R"] == 0.645
    assert paper_values("submodular+abs")["RL-R"] == 0.258


def test_chinese_clusters_are_scored_by_their_own_words() -> None:
    threads = samples.threads("zh")
    clusters = [
        Cluster(
            thread.article.id,
            (ClusterArticle("a", thread.article.text),),
            summary=thread.article.title,
        )
        for thread in threads
    ]
    found = evaluate(clusters, ["oracle-multi", "lead"], samples=9)
    assert found["oracle-multi"].scores["R1-F"].value > 0.1
    assert "tok:zh." in found["lead"].scores["RL-F"].signature
    assert "beta:1" in found["lead"].scores["RL-F"].signature


def test_what_cannot_be_evaluated_is_refused() -> None:
    article = (ClusterArticle("a", "x"),)
    with pytest.raises(DataError, match="cluster 'c' has no `summary`"):
        evaluate([Cluster("c", article)], ["lead"])
    with pytest.raises(ArgumentError, match="given twice"):
        evaluate(samples.clusters(), ["lead", "lead"])
    with pytest.raises(ArgumentError, match=r"several languages \(en, zh\)"):
        evaluate(
            [Cluster("c", article, summary="Rain."), Cluster("d", article, summary="下雨了")],
            ["lead"],
        )
    references = [References(item, (Reference("rain"),)) for item in ("a", "b")]
    outputs = [Output("a", "s", "rain"), Output("b", "s", "rain"), Output("a", "t", "rain")]
    with pytest.raises(DataError, match="'t' and 's' do not answer the same items"):
        evaluate_outputs(outputs, references, samples=9)
