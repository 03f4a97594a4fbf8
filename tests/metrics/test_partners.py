"""Weighted metrics and their plain partners: equal when all weights are 1, in the registry and in every table that prints both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records
from newsdesk.cli.comment.fit import compare_command
from newsdesk.cli.main import main
from newsdesk.commenters import compare
from newsdesk.demo import summaries as demo_summaries
from newsdesk.metrics.metric import metric, score
from newsdesk.metrics.systems import pairing_notes, pairs, plain_partner, split_specs
from newsdesk.registry import METRICS
from newsdesk.studies.correlate.tables import TABLE1, with_paper_readings
from newsdesk.text.encode import encode
from newsdesk.types import Article, Comment, Output, Reference, References, Thread

WEIGHTED = [name for name in METRICS if metric(name).weighted]
TEXTS = {
    "en": ["The ferry's crew left at 5.30.", "A ferry left, and nobody knew!", "It's the crew: brave."],
    "zh": ["渡轮在大雾中离开了港口。", "没有人受伤，渡轮很安全。", "大雾中的渡轮"],
    "ja": ["フェリーは濃い霧の中で港を出た。", "港を出たのはフェリーだ。", "霧が濃い"],
    "ru": ["Паром вышел из гавани в тумане.", "Из гавани вышел паром!", "В густом тумане."],
}  # fmt: skip
SETTINGS = [
    "w-bleu-4(profile='coco')",
    "w-bleu-2(reading='delta', bp='positive')",
    "w-rouge-l(beta=2.0, stem=True)",
    "w-rouge-l(combine='coco', report='p')",
    "w-rouge-l(tokenizer='char')",
    "w-meteor(version='2005')",
    "w-cider(norm=True, scale=10.0)",
    "w-soft-recall(combine='kernel')",
]
# Every list of metrics that we print without being asked for them by name.
TABLES = {
    "comment compare": compare.METRICS,
    "comment compare, command": tuple(
        split_specs(str(next(p.default for p in compare_command.params if p.name == "metrics")))
    ),
    "study correlate --metrics table1": TABLE1,
    "study correlate --metrics table1 --paper": tuple(with_paper_readings(TABLE1)),
    "demo": demo_summaries._PAIRS,
}


@pytest.mark.parametrize("lang", list(TEXTS))
@pytest.mark.parametrize("spec", [*WEIGHTED, *SETTINGS])
def test_a_weighted_metric_equals_its_partner_when_all_weights_are_one(
    spec: str, lang: str
) -> None:
    texts = TEXTS[lang]
    following = texts[1:] + texts[:1]
    joined = [[f"{one} {two}", two] for one, two in zip(texts, following, strict=True)]
    batch = encode(texts, joined, lang=lang)
    plain, weighted = score([str(plain_partner(spec)), spec], batch, per_item=True)
    assert weighted.value == pytest.approx(plain.value, abs=1e-9) and weighted.value > 0
    assert weighted.items == pytest.approx(plain.items, abs=1e-9)
    assert weighted.parts == pytest.approx(plain.parts, abs=1e-9)


def test_a_reading_that_equals_no_plain_metric_has_no_partner() -> None:
    candidate, texts = "a b c d e f", ["a x b y c z d", "e f", "a b"]
    batch = encode([candidate, "q"], [texts, ["r s"]], lang="en")
    specs = ("w-rouge-l(reading='paper')", "w-rouge-l(combine='union')", "w-meteor(reading='argmax')", "w-meteor(reading='paper')")  # fmt: skip
    assert [plain_partner(spec) for spec in specs] == [None] * 4
    coco, union = score(["rouge-l(combine='coco')", specs[0]], batch)
    assert union.value > coco.value


@pytest.mark.parametrize("table", list(TABLES))
def test_tables_set_weighted_metrics_beside_their_partners(table: str) -> None:
    specs = TABLES[table]
    partners = dict(pairs(specs))
    assert partners
    for spec in specs:
        expected = plain_partner(spec)
        assert partners.get(spec) == expected, spec
    if "--paper" not in table:
        assert pairing_notes(specs) == []
        assert list(specs) == [each for pair in pairs(specs) for each in reversed(pair)]
    assert TABLES["comment compare, command"] == TABLES["comment compare"]


def test_a_weighted_metric_beside_another_form_of_its_plain_metric_is_told() -> None:
    (note,) = pairing_notes(["rouge-l", "w-rouge-l", "meteor", "w-meteor", "rouge-1"])
    assert "w-rouge-l is rouge-l(combine='coco') and not rouge-l" in note
    (note,) = pairing_notes(["meteor", "w-meteor(reading='paper')"])
    assert "w-meteor(reading='paper') equals no plain metric" in note
    assert pairing_notes(["w-rouge-l", "rouge-1"]) == []


@pytest.fixture(scope="module")
def unweighted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Outputs, human scores and threads of which every reference has the weight 1."""
    folder = tmp_path_factory.mktemp("unweighted")
    texts = ["It's the ferry: late again.", "The ferry left.", "Nobody knew it, the crew left!", "A dam broke.", "The crew broke it."]  # fmt: skip
    references, outputs, human, threads = [], [], ["id,system,q"], []
    for item in range(5):
        turned = texts[item:] + texts[:item]
        references.append(References(str(item), tuple(map(Reference, turned[1:4])), "en"))
        for place, system in enumerate(("one", "two")):
            outputs.append(Output(str(item), system, f"{turned[place * 3]} And it's so."))
            human.append(f"{item},{system},{(item * 3 + place * 2) % 5}")
        comments = tuple(Comment(str(n), text, score=1.0) for n, text in enumerate(turned))
        threads.append(Thread(Article(str(item), turned[0], turned[1], lang="en"), comments))
    records.write(folder / "references.jsonl", references)
    records.write(folder / "outputs.jsonl", outputs)
    records.write(folder / "threads.jsonl", threads)
    (folder / "human.csv").write_text("\n".join(human) + "\n", "utf-8")
    return folder


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main([*words, "--samples", "100", "--json"]) == 0
    content: dict[str, Any] = json.loads(capsys.readouterr().out)
    return content


def test_every_table_prints_equal_numbers_when_all_weights_are_one(
    unweighted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    specs = tuple(dict.fromkeys(each for name in WEIGHTED for each in (str(plain_partner(name)), name)))  # fmt: skip
    listed = ["--metrics", ",".join(specs)]
    files = [str(unweighted / "outputs.jsonl"), "--references", str(unweighted / "references.jsonl")]  # fmt: skip
    people = ["--human", str(unweighted / "human.csv")]
    scored = printed(capsys, "score", *files, *listed)
    values = {(row["system"], row["metric"]): row["value"] for row in scored["scores"]}
    compared = printed(capsys, "study", "compare", *files, *people, *listed)
    for row in compared["systems"]:
        values |= {(f"c {row['system']}", name): each["value"] for name, each in row["measures"].items()}  # fmt: skip
    related = printed(capsys, "study", "correlate", *files, *people, *listed, "--shuffles", "0")
    for row in related["correlations"]:
        for name in ("pearson", "spearman", "kendall"):
            values[f"{row['level']} {name}", row["metric"]] = row[name]["value"]
    assert {(each["weighted"], each["plain"]) for each in related["gains"]} == set(pairs(specs))
    assert all(abs(each["gain"]) < 1e-9 for each in related["gains"])
    model = ["--models", "ir-t(updates=2, filters=2)", "--test-share", "0.4"]
    suggested = printed(capsys, "comment", "compare", str(unweighted / "threads.jsonl"), *model)
    values |= {("comment", row["metric"]): row["value"] for row in suggested["scores"]}
    places = {place for place, _ in values}
    assert len(places) == 2 + 2 + 6 + 1
    for weighted, plain in pairs(specs):
        for place in places:
            if (place, weighted) in values:
                one, other = values[place, weighted], values[place, plain]
                assert one == pytest.approx(other, abs=1e-9), (place, weighted)
