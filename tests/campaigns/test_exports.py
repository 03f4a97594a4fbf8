"""What a campaign's judgments are used for, from the store: weights by the scale, gains, qrels, pairs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from newsdesk.campaigns.exports import gains, pairs, qrels, weighting_of, weights
from newsdesk.campaigns.protocols import protocol
from newsdesk.campaigns.store import Store
from newsdesk.campaigns.tasks import Target, Task
from newsdesk.errors import ArgumentError
from newsdesk.types import Article, Pair, Thread
from tests.campaigns.worlds import AT, GRADE, RANK, VOTE

TARGETS = (Target("x", "Well said."), Target("y", "Nonsense."))
GRADES = {"ann": (5, 1), "ben": (4, 2)}
VOTES = {"ann": (True, False), "ben": (True, True)}
RANKS = {"ann": (1, 2), "ben": (1, 2)}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'store.db'}") as opened:
        for name, form, values in (
            ("grades", GRADE, GRADES),
            ("votes", VOTE, VOTES),
            ("ranks", RANK, RANKS),
        ):
            task = Task("t", "a", TARGETS)
            opened.create(name, form, [task], ["ann", "ben"], per_item=2, seed=0)
            for annotator, said in values.items():
                answers = {
                    (target.id, question.name): value
                    for target, value in zip(TARGETS, said, strict=True)
                    for question in form.questions
                }
                opened.answer(name, annotator, "t", answers, at=AT)
        yield opened


@pytest.mark.parametrize(
    ("campaign", "how", "signature", "expected"),
    [
        ("grades", "minmax", "minmax[1,5]", (0.875, 0.125)),
        ("grades", "max", "max[1,5]", (0.9, 0.3)),
        ("grades", "itemmax", "itemmax", (1, 1 / 3)),
        ("votes", "minmax", "minmax[0,1]", (1, 0.5)),
        ("ranks", "minmax", "minmax[0,1]", (1, 0)),
    ],
)
def test_weights_go_by_the_scale_of_the_protocol(
    store: Store, campaign: str, how: str, signature: str, expected: tuple[float, float]
) -> None:
    question = "overall" if campaign == "ranks" else None
    weighted = weights(store, campaign, how=how, question=question)  # type: ignore[arg-type]
    assert weighted.weighting.signature.startswith(signature)
    (references,) = weighted.references
    assert references.id == "a"
    assert [each.text for each in references.references] == ["Well said.", "Nonsense."]
    assert [each.weight for each in references.references] == pytest.approx(expected)


def test_labels_give_no_weights() -> None:
    with pytest.raises(ArgumentError, match="of kind 'label' gives no weights"):
        weighting_of(protocol("relate"))


def test_gains_keep_the_articles_that_are_known(store: Store) -> None:
    (thread,) = gains(
        store,
        "votes",
        [Thread(Article("a", "", title="The ferry"), ()), Thread(Article("b", ""), ())],
    )
    assert thread.article.title == "The ferry"
    assert [(c.id, c.score, c.yes, c.votes) for c in thread.comments] == [
        ("x", 1.0, 2, 2),
        ("y", 0.5, 1, 2),
    ]
    (bare,) = gains(store, "grades")
    assert (bare.article, [c.yes for c in bare.comments]) == (Article("a", ""), [None, None])


def test_qrels_are_whole_numbers_which_ranks_do_not_give(store: Store) -> None:
    assert list(qrels(store, "votes")) == ["a 0 x 2", "a 0 y 1"]
    with pytest.raises(ArgumentError, match="ranks give no whole-number gains"):
        qrels(store, "ranks")


def test_pairs_differ_by_the_margin(store: Store) -> None:
    assert list(pairs(store, "grades", least_margin=3)) == [Pair("a", "x", "y", 3.0)]
    assert list(pairs(store, "grades", least_margin=3.5)) == []


def test_an_excluded_annotator_counts_nowhere(store: Store) -> None:
    store.exclude("grades", "ann", "in a hurry", at=AT)
    assert list(pairs(store, "grades")) == [Pair("a", "x", "y", 2.0)]
