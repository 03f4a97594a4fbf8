"""Summaries against their sources: what is made false by rule is rejected, what is true is not, and every clause has its receipt."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from newsdesk import records, samples
from newsdesk.errors import DataError
from newsdesk.summarizers.prepare import Sentence, prepare
from newsdesk.summarizers.verify import SourceCheck, support
from newsdesk.summarizers.verify.clauses import clauses
from newsdesk.summarizers.verify.judges import judge_of
from newsdesk.summarizers.verify.receipts import verify_outputs
from newsdesk.types import Cluster, Output
from tests.cli.running import run
from tests.llm.endpoint import Reply, endpoint, prompt_of
from tests.summarizers.falsified import KINDS, names_of

SOURCES = [
    "Ann Marlow, the mayor of Port Eden, resigned on Friday after 12 years in office.",
    "She did not say why she was leaving.",
    "Deputy mayor Tom Reed told Marlow in 2019 that the harbour would cost $1,200,000.",
    "The ferry Anna ran aground in fog, and two villages were cut off for nine days.",
]


def check(*sentences: str, date: str | None = None) -> SourceCheck:
    return SourceCheck(
        [Sentence(text, "a", at, date) for at, text in enumerate(sentences or SOURCES)]
    )


@pytest.mark.parametrize(
    "text",
    [
        *SOURCES,
        "Ann Marlow resigned on Friday after twelve years in office.",
        "The mayor of Port Eden resigned on Friday.",
        "The ferry Anna ran aground in fog.",
        "Marlow did not say why she was leaving.",
        "Tom Reed told Marlow that the harbour would cost $1200000.",
    ],
)
def test_what_the_sources_say_is_supported(text: str) -> None:
    checked = check().check_sentence(text)
    assert checked.supported, checked


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Ann Marlow resigned on Friday after 14 years in office.", "number “14”"),
        ("Ann Marlow resigned on Monday after 12 years in office.", "date “Monday”"),
        ("Joan Reed, the mayor of Port Eden, resigned on Friday.", "name “Reed”"),
        ("Ann Marlow has not resigned on Friday.", "the negation “not”"),
        ("She did say why she was leaving.", "the source says “not”"),
        (
            "Deputy mayor Marlow told Tom Reed in 2019 that the harbour would cost $1,200,000.",
            "“Marlow” is not in the source there",
        ),
        ("A dog won the regional chess prize.", ""),
    ],
)
def test_what_they_do_not_say_is_not(text: str, reason: str) -> None:
    checked = check().check_sentence(text)
    assert not checked.supported and reason in checked.reason


def test_a_weekday_is_the_day_that_the_date_of_the_article_makes_it() -> None:
    dated = check(*SOURCES, date="2019-05-05")
    assert dated.check_sentence("Ann Marlow resigned on May 3 after 12 years in office.").supported
    assert not dated.check_sentence(
        "Ann Marlow resigned on May 9 after 12 years in office."
    ).supported
    assert not check().check_sentence("Ann Marlow resigned on May 3 after 12 years.").supported


def test_a_sentence_from_two_sources_is_checked_clause_by_clause() -> None:
    text = "Ann Marlow resigned on Friday after 12 years in office, and two villages were cut off for nine days."
    checked = check().check_sentence(text)
    assert checked.supported
    assert [clause.source.position for clause in checked.clauses] == [0, 0, 3]
    half = check().check_sentence(text.replace("nine", "forty"))
    assert [clause.standing for clause in half.clauses] == [
        "supported",
        "supported",
        "contradicted",
    ]
    assert " ".join(clauses(text, "en")) == text


def test_chinese_and_japanese_sentences_are_checked_too() -> None:
    chinese = check("市长马洛在任十二年后于星期五辞职。", "两个村庄被切断了9天。")
    assert chinese.check_sentence("两个村庄被切断了9天。").supported
    assert not chinese.check_sentence("两个村庄被切断了7天。").supported
    assert not chinese.check_sentence("市长马洛在任十二年后于星期五没有辞职。").supported
    japanese = check("市長は金曜日に辞任した。", "二つの村が9日間孤立した。")
    assert japanese.check_sentence("市長は金曜日に辞任した。").supported
    assert not japanese.check_sentence("市長は月曜日に辞任した。").supported


def rejections(clusters: list[Cluster], wanted: int) -> tuple[dict[str, float], float]:
    """The share of false sentences of each kind that are rejected, and of true ones."""
    draw = random.Random(0)
    rejected, total = Counter[str](), Counter[str]()
    for cluster in clusters:
        prepared = prepare(cluster)
        texts = [text for text in prepared.texts if 8 <= len(text.split()) <= 40]
        against, names = SourceCheck.of(prepared), names_of(texts)
        for text in draw.sample(texts, min(14, len(texts))):
            total["true"] += 1
            rejected["true"] += not against.check_sentence(text).supported
        for kind, make in KINDS.items():
            made = [
                false for text in texts if (false := make(text, names, draw)) not in (None, text)
            ]
            for false in draw.sample(made, min(wanted, len(made))):
                total[kind] += 1
                rejected[kind] += not against.check_sentence(str(false)).supported
    assert all(total[kind] >= 40 for kind in KINDS), total
    shares = {kind: rejected[kind] / total[kind] for kind in total}
    return shares, shares.pop("true")


def test_false_sentences_are_rejected_and_true_ones_are_not(shared_data: Path) -> None:
    path = shared_data / "multi_news" / "clusters.jsonl"
    clusters = list(records.read(path, Cluster))
    shares, of_true = rejections(clusters[50:74], 3)
    assert min(shares[kind] for kind in ("number", "name", "date", "negation")) >= 0.95, shares
    assert shares["roles"] >= 0.85, shares
    assert of_true <= 0.03


def test_of_two_sentences_the_one_that_the_source_supports_is_chosen(shared_data: Path) -> None:
    right = ties = 0.0
    lines = (shared_data / "human_judgments" / "Rank19.jsonl").read_text("utf-8").splitlines()
    for line in lines:
        row = json.loads(line)
        texts = {name: each["sys_summ"] for name, each in row["sys_summs"].items()}
        good, bad = (support(row["src"], texts[name]) for name in ("correct", "incorrect"))
        right += good > bad
        ties += good == bad
    assert (right + ties / 2) / len(lines) >= 0.75  # .767; ROUGE-2 has .630
    assert ties / len(lines) <= 0.06


def sample_pairs() -> tuple[list[Cluster], list[Output]]:
    clusters = samples.clusters()[:2]
    outputs = [
        Output(each.id, "lead", each.articles[0].text.split("\n")[0][:400]) for each in clusters
    ]
    return clusters, outputs


def test_a_model_turns_down_what_rules_let_pass_and_its_silence_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEWSDESK_LLM_CACHE", str(tmp_path / "cache"))
    clusters, outputs = sample_pairs()
    by_rule = verify_outputs(outputs, clusters)
    for reply, share in ((Reply(text="No."), 0.0), (Reply(text="", refusal="I can't."), 1.0)):
        with endpoint(reply) as server:
            receipts = verify_outputs(outputs, clusters, judge=judge_of(server.spec))
            assert all("Does the source support" in prompt_of(body) for body in server.requests)
        assert "judge:llm:openai:" in receipts.signature and "prompt:" in receipts.signature
        assert receipts.rows()[0][4] == (share and by_rule.rows()[0][4])
    shares = {"yes": -0.05, "no": -3.0}
    with endpoint(Reply(text="yes", first=shares)) as server:
        receipts = verify_outputs(outputs, clusters, judge=judge_of(server.spec))
        clause = receipts.outputs[0].sentences[0].clauses[0]
        assert clause.standing == "supported" and 0.9 < clause.support < 1


def test_an_output_without_a_cluster_is_refused() -> None:
    clusters, _ = sample_pairs()
    with pytest.raises(DataError, match="'nowhere' has no cluster"):
        verify_outputs([Output("nowhere", "s", "Text.")], clusters)


def test_the_command_links_flags_and_strikes(tmp_path: Path) -> None:
    clusters, outputs = sample_pairs()
    false = Output(
        outputs[0].id, "false", f"{outputs[0].text} The president of Mars sold 912 submarines."
    )
    files = {
        name: str(tmp_path / name)
        for name in ("c.jsonl", "o.jsonl", "r.html", "r.jsonl", "k.jsonl")
    }
    records.write(files["c.jsonl"], clusters)
    records.write(files["o.jsonl"], [*outputs, false])
    words = ("summarize", "verify", files["o.jsonl"], "--clusters", files["c.jsonl"])
    printed = run(*words, "--json")
    assert printed.returncode == 0, printed.stderr
    result: dict[str, Any] = json.loads(printed.stdout)
    assert [row["system"] for row in result["systems"]] == ["lead", "false"]
    assert result["systems"][0]["share"] == 1 and result["systems"][1]["share"] < 1
    source = result["outputs"][0]["sentences"][0]["clauses"][0]["source"]
    assert source["text"] in list(prepare(clusters[0], titles=True).texts)
    assert "submarines" in run(*words).stdout
    assert run(*words, "-o", files["r.html"]).returncode == 0
    page = Path(files["r.html"]).read_text("utf-8")
    assert (
        'class="bad"' in page and "<del" not in page and "http" not in page.partition("<body>")[0]
    )
    assert run(*words, "--strike", "-o", files["r.html"], "--force").returncode == 0
    assert "<del" in Path(files["r.html"]).read_text("utf-8")
    assert run(*words, "--strike", "-o", files["k.jsonl"]).returncode == 0
    kept = list(records.read(files["k.jsonl"], Output))
    assert [each.text for each in kept[:2]] == [each.text for each in outputs]
    assert kept[2].text == outputs[0].text
    assert run(*words, "-o", files["r.jsonl"]).returncode == 0
    rows = [json.loads(line) for line in Path(files["r.jsonl"]).read_text("utf-8").splitlines()]
    assert [row["system"] for row in rows] == ["lead", "lead", "false"]
    assert run("summarize", "verify", files["o.jsonl"]).returncode == 2
    helped = run("summarize", "verify", "--help").stdout
    assert helped.startswith("Usage: newsdesk summarize verify [OPTIONS] OUTPUTS")
