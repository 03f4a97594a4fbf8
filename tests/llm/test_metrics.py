"""Metrics that ask a model: grades from token probabilities, faithfulness by inference, in `score` and `study correlate` like the rest."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import newsdesk as nd
from newsdesk.cli.main import main
from newsdesk.errors import ArgumentError
from newsdesk.text.encode import encode
from tests.llm.endpoint import INJECTIONS, Reply, endpoint, outside_data, prompt_of

REFERENCES = [["The ferry sank on Monday."], ["Nobody won."], ["Rates rose."]]
CANDIDATES = ["A ferry sank.", "Nobody won it.", "Rates rose. They rose."]


def _spec(server: Any, cache: Path | str = "none", **settings: object) -> str:
    more = "".join(f", {name}={value!r}" for name, value in settings.items())
    return f"llm-grade(model='{server.spec}', cache='{cache}', attempts=1{more})"


def test_a_grade_is_the_mean_of_the_scale_under_the_token_probabilities() -> None:
    first = {"4": math.log(0.5), "2": math.log(0.25), " 5": math.log(0.25), "the": -0.1}
    with endpoint(Reply(text="4", first=first)) as server:
        score = nd.metric(_spec(server)).corpus(CANDIDATES, REFERENCES, lang="en")
        assert score.value == pytest.approx((0.5 * 4 + 0.25 * 2 + 0.25 * 5 - 1) / 4)
        assert score.n == 3 and "scale:1-5" in score.signature and "prompt:" in score.signature
        assert "cache" not in score.signature.partition("|")[2]
        assert len(server.requests) == 3


def test_without_probabilities_the_number_that_is_written_counts_and_no_opinion_is_left_out() -> None:  # fmt: skip
    def answer(body: dict[str, Any]) -> Reply | str:
        prompt = prompt_of(body)
        if "ferry" in prompt:
            return "I would give it 5 of all."
        return Reply(refusal="I cannot judge this.") if "Nobody" in prompt else "no number 27"

    with endpoint(answer) as server:
        one = nd.metric(_spec(server))
        rows = one.statistics(encode(CANDIDATES, REFERENCES, lang="en"))
    assert rows.tolist() == [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]
    assert one.values(rows.sum(axis=0, keepdims=True)).tolist() == [1.0]


def test_texts_that_give_orders_are_data() -> None:
    def answer(body: dict[str, Any]) -> str:
        asked = outside_data(body)
        assert not any(attack in asked for attack in INJECTIONS)
        return "3"

    with endpoint(answer) as server:
        one = nd.metric(_spec(server))
        score = one.corpus(list(INJECTIONS), [["A text."]] * len(INJECTIONS), lang="en")
    assert score.value == 0.5 and score.n == 30


def test_a_second_run_asks_nothing_and_the_command_scores_and_correlates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = [{"id": str(n), "system": system, "text": text if system == "good" else "Bad."} for n, text in enumerate(CANDIDATES) for system in ("good", "bad")]  # fmt: skip
    human = [{"id": row["id"], "system": row["system"], "quality": 1 + len(row["text"]) % 5} for row in outputs]  # fmt: skip
    references = [{"id": str(n), "references": texts} for n, texts in enumerate(REFERENCES)]
    files: dict[str, list[dict[str, Any]]] = {"outputs": outputs, "human": human, "references": references}  # fmt: skip
    paths = {name: tmp_path / f"{name}.jsonl" for name in files}
    for name, rows in files.items():
        paths[name].write_text("".join(json.dumps(row) + "\n" for row in rows))
    common = [str(paths["outputs"]), "--references", str(paths["references"]), "--json"]
    with endpoint(lambda body: "2" if "Bad." in prompt_of(body) else "4") as server:
        spec = _spec(server, tmp_path / "cache")
        assert main(["score", *common, "--metrics", spec]) == 0
        values = [row["value"] for row in json.loads(capsys.readouterr().out)["scores"]]
        assert values == [0.75, 0.25]
        asked = len(server.requests)
        arguments = ["--human", str(paths["human"]), "--metrics", f"rouge-1,{spec}", "--samples", "200"]  # fmt: skip
        assert main(["study", "correlate", *common, *arguments]) == 0
        names = {row["metric"] for row in json.loads(capsys.readouterr().out)["correlations"]}
        assert spec in names and len(server.requests) == asked == 6


@pytest.fixture(scope="module")
def tiny_nli(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A real classifier of pairs with random weights, made and saved here."""
    transformers = pytest.importorskip("transformers")
    import torch

    folder = tmp_path_factory.mktemp("tiny-nli")
    words = sorted({word.strip(".").lower() for texts in (CANDIDATES, *REFERENCES) for text in texts for word in text.split()})  # fmt: skip
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", *words]))  # fmt: skip
    transformers.BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(words) + 6, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        id2label={0: "contradiction", 1: "entailment", 2: "neutral"},
        label2id={"contradiction": 0, "entailment": 1, "neutral": 2},
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return f"hf:{folder}"


def test_faithfulness_is_the_best_entailment_of_each_sentence_and_their_mean(tiny_nli: str) -> None:
    from newsdesk.llm import nli_model

    one = nd.metric(f"nli-faithful(model='{tiny_nli}')")
    references = ["The ferry sank on Monday. Rates rose.", "Nobody won."]
    premises = [*references, "The ferry sank on Monday.", "Rates rose."]
    best = [max(each.entailment for each in nli_model(tiny_nli).infer([(premise, said) for premise in premises])) for said in ("Rates rose.", "They rose.")]  # fmt: skip
    score = one.score("Rates rose. They rose.", references, lang="en")
    assert score.value == pytest.approx(sum(best) / 2, abs=1e-5)
    assert 0 < score.value < 1 and "nli:hf:tiny-nli" in score.signature
    assert one.score("", references, lang="en").value == 0


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("nli-faithful", "needs a model; write nli-faithful"),
        ("nli-faithful(model='openai:x')", "is no NLI model"),
        ("llm-grade", "no language model is named"),
        ("llm-grade(model='hf:x', scale=12)", "grades have one digit"),
    ],
)
def test_metrics_without_a_model_say_how_to_name_one(spec: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        nd.metric(spec).score("a", ["b"], lang="en")
