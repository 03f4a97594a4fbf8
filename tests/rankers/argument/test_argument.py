"""The parts of the ranker `argument`: word lists, wording, repetition, padding, and the regression under all of it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import minimize

import newsdesk as nd
from newsdesk import samples
from newsdesk.packaged import sections
from newsdesk.rankers.argument.care import CARE
from newsdesk.rankers.argument.features import neighbours
from newsdesk.rankers.argument.lexicon import LISTED, Hit, lexicon, units_of
from newsdesk.rankers.argument.logistic import LengthCurve, ridge_logistic, sigmoid
from newsdesk.rankers.argument.padding import BEGINS, ENDS, _padded
from newsdesk.rankers.argument.reading import Talk
from newsdesk.rankers.argument.reasons import PHRASES, SEEN
from newsdesk.rankers.argument.repeats import is_new, once
from newsdesk.rankers.argument.wording import MARKS, mark_rates, phrase_rates
from newsdesk.rankers.ranker import Ranker


@pytest.mark.parametrize("lang", LISTED)
def test_the_lists_of_all_languages_have_the_same_kinds_and_no_phrase_twice(lang: str) -> None:
    lists = sections("rankers", f"words-{lang}.txt")
    assert tuple(lists) == tuple(sections("rankers", "words-en.txt")) == tuple(PHRASES)
    phrases = [" ".join(units_of(line, lang)) for lines in lists.values() for line in lines]
    assert len(phrases) == len(set(phrases))
    assert set(SEEN) <= {*MARKS, *CARE}


def test_the_longest_phrase_counts_and_is_passed_over() -> None:
    table = lexicon("en")
    units = units_of("Thank you: for example, I WAS there, you’re not.", "en")
    hits = [
        (table.kinds[hit.kind], " ".join(units[hit.start : hit.end])) for hit in table.hits(units)
    ]
    assert hits == [
        ("agree", "thank you"),
        ("example", "for example"),
        ("experience", "i was"),
        ("second", "you're"),
        ("negation", "not"),
    ]


@pytest.mark.parametrize(
    ("lang", "text", "kinds"),
    [
        ("zh", "因为没有数据，我建议公开。", ["reason", "negation", "source", "first", "proposal"]),
        ("ja", "例えば調査の結果が必要です。", ["example", "source", "reason", "proposal"]),
        ("de", "Weil du dumm bist, because.", []),
    ],
)
def test_other_languages_are_read_by_their_own_lists_or_by_none(
    lang: str, text: str, kinds: list[str]
) -> None:
    table = lexicon(lang)
    assert [table.kinds[hit.kind] for hit in table.hits(units_of(text, lang))] == kinds


def test_rates_do_not_grow_when_a_text_is_said_twice() -> None:
    text = "Why pay 5 %? Because Paris did, in 2019 (see www.x.org)! "
    units = units_of(text, "en")
    one = mark_rates(text, [text], units)
    two = mark_rates(text + text, [text, text], units + units)
    fixed = [name for name in MARKS if name not in ("sentences", "lines", "variety", "said once")]
    for name in fixed:
        place = MARKS.index(name)
        assert two[place] == pytest.approx(one[place], rel=0.05, abs=0.02), name
    assert phrase_rates([Hit(1, 0, 1)], 4, 3) == [0, 0.25, 0]


@given(st.text(max_size=200))
def test_any_text_has_finite_rates(text: str) -> None:
    rates = mark_rates(text, [text] if text else [], units_of(text, "en"))
    assert len(rates) == len(MARKS)
    assert np.isfinite(rates).all()


def test_full_width_marks_count_as_half_width_ones() -> None:
    assert mark_rates("本当？！", ["本当？！"], ["本", "当"]) == mark_rates(
        "本当?!", ["本当?!"], ["本", "当"]
    )


@given(st.text("ab c", min_size=1, max_size=30), st.integers(1, 4), st.integers(0, 30))
def test_a_text_that_starts_over_is_cut_to_its_first_saying(
    text: str, times: int, more: int
) -> None:
    whole = " ".join([text] * times) + " " + text[:more]
    said = once(whole)
    assert whole.startswith(said)
    # What is left says it all: repeated, it gives the whole again.
    packed, left = "".join(whole.split()), "".join(said.split())
    assert not packed or (left * len(packed)).startswith(packed)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", ""),
        ("No. No. No. No. No.", "No."),
        ("We pay. They spend.", "We pay. They spend."),
        ("别再说了，大家都知道。 别再说了，大家都知道。别再", "别再说了，大家都知道。"),
        ("İİİİ İİİİ İİİİ İİİİ", "İİİİ İİİİ İİİİ İİİİ"),
    ],
)
def test_repetition_in_plain_cases(text: str, left: str) -> None:
    assert once(text) == left


def test_a_long_repeated_word_is_cut_in_linear_time() -> None:
    assert once("word " * 10_000) == "word"
    assert once("a" * 50_000 + "b") == "a" * 50_000 + "b"


def test_sentences_that_were_there_before_are_not_new() -> None:
    said = ["Trains cost money.", "No.", "No.", "trains cost money!", "Buses do not."]
    assert is_new(said) == [True, True, True, False, True]


def plain_padded(odds: list[float]) -> list[bool]:
    """Every path of the chain weighed."""
    weights = np.zeros((len(odds), 2))
    for code in range(2 ** len(odds)):
        path = [(code >> place) & 1 for place in range(len(odds))]
        if path[:1] == [1]:
            continue
        weight = 1.0
        for place in range(1, len(odds)):
            moves = ((1 - BEGINS, BEGINS), (ENDS, 1 - ENDS))
            weight *= moves[path[place - 1]][path[place]]
            weight *= np.exp(odds[place]) if path[place] else 1
        for place, state in enumerate(path):
            weights[place, state] += weight
    return (weights[:, 1] > weights[:, 0]).tolist()


@given(st.lists(st.floats(-8, 8), max_size=7))
def test_the_chain_equals_all_paths_weighed(odds: list[float]) -> None:
    assert _padded(odds) == plain_padded(odds)


def words_in_a_row(text: str, count: int, lang: str) -> set[tuple[str, ...]]:
    units = re.findall(r"\w", text) if lang != "en" else re.findall(r"\w+", text.lower())
    return {tuple(units[place : place + count]) for place in range(len(units) - count + 1)}


@pytest.mark.parametrize(("lang", "count"), [("en", 4), ("zh", 6), ("ja", 10)])
def test_padding_for_training_shares_no_wording_with_the_filler_of_the_test(
    lang: str, count: int
) -> None:
    train, test = (
        {row for lines in sections("rankers", f"{name}-{lang}.txt").values() for line in lines
         for row in words_in_a_row(line, count, lang)}
        for name in ("padding", "filler")
    )  # fmt: skip
    assert train & test == set()


@pytest.fixture(scope="module")
def model() -> Ranker:
    return nd.ranker("argument").fit(samples.threads()[:9])


def dropped(model: Ranker, text: str) -> list[str]:
    host = samples.threads()[10]
    one = nd.Thread(host.article, (*host.comments[:12], nd.Comment("new", text)))
    return list(model.explain(one)[-1].padding)


def test_padding_is_dropped_and_the_comment_stays(model: Ranker) -> None:
    filler = sections("rankers", "filler-en.txt")["boilerplate"][:4]
    comments = samples.threads()[10].comments[:8]
    lost = 0
    for comment in comments:
        gone = dropped(model, f"{comment.text} {' '.join(filler)}")
        assert len(set(gone) & set(filler)) >= 3
        lost += sum(sentence in comment.text for sentence in gone)
    assert lost <= len(comments) / 2


def test_padding_after_a_comment_without_a_full_stop_is_found(model: Ranker) -> None:
    filler = sections("rankers", "filler-en.txt")["boilerplate"][5:8]
    assert filler[0].startswith("The ")
    assert filler[0] in dropped(model, f"they never listen {' '.join(filler)}")


def test_the_first_sentence_is_never_dropped(model: Ranker) -> None:
    filler = sections("rankers", "filler-en.txt")["polite"]
    assert filler[0] not in dropped(model, " ".join(filler[:5]))


def test_a_comment_said_again_keeps_its_score(model: Ranker) -> None:
    host = samples.threads()[10]
    place = 4
    again = nd.Comment("again", f"{host.comments[place].text} {host.comments[place].text}")
    (score,) = model.replaced(host, [place], [again])
    assert score == pytest.approx(model.scores(host)[place], abs=1e-5)


def test_replaced_equals_scoring_the_changed_thread_one_at_a_time(model: Ranker) -> None:
    host = samples.threads()[9]
    new = [
        nd.Comment(f"n{place}", f"{host.comments[place].text} Because of 3 % rent.")
        for place in range(4)
    ]
    fast = model.replaced(host, [0, 1, 2, 3], new)
    plain = Ranker.replaced(model, host, [0, 1, 2, 3], new)
    np.testing.assert_allclose(fast, plain, atol=2e-5)
    assert model.replaced(host, [], []).size == 0


def test_ridge_logistic_finds_the_minimum() -> None:
    rng = np.random.default_rng(0)
    matrix, votes = rng.normal(size=(60, 4)), rng.integers(1, 6, 60).astype(float)
    yes, offset = rng.binomial(votes.astype(int), 0.4).astype(float), rng.normal(size=60)
    ridge = np.array([0.1, 1.0, 10.0, 100.0])

    def deviance(weights: np.ndarray) -> float:
        odds = matrix @ weights + offset
        return float(np.sum(votes * np.logaddexp(0, odds) - yes * odds) + ridge @ weights**2 / 2)

    weights = ridge_logistic(matrix, yes, votes, offset, ridge)
    peer = minimize(deviance, np.zeros(4), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(weights, peer.x, atol=1e-5)


def test_the_curve_of_length_is_monotone_and_flat_outside() -> None:
    rng = np.random.default_rng(1)
    logs = np.log(rng.integers(5, 900, 500))
    votes = np.full(500, 5.0)
    yes = rng.binomial(5, sigmoid(1.5 * (logs - 5))).astype(float)
    curve = LengthCurve.of_votes(logs, yes, votes)
    grid = np.linspace(0, 10, 200)
    assert (np.diff(curve(grid)) >= 0).all()
    assert curve(np.array([0.0]))[0] == curve(np.array([logs.min()]))[0]
    assert curve(np.array([6.0]))[0] == pytest.approx(1.5, abs=0.6)
    falling = LengthCurve.of_votes(logs, votes - yes, votes)
    assert (np.diff(falling(grid)) <= 0).all()


def test_neighbours_equal_a_plain_count() -> None:
    rng = np.random.default_rng(2)
    vectors, title = rng.normal(size=(6, 5)), rng.normal(size=5)
    columns = neighbours(vectors, vectors, range(6), title)
    for place in range(6):
        near = sorted(
            float(vectors[place] @ vectors[other]) for other in range(6) if other != place
        )
        plain = [near[-1], sum(near) / 5, sum(near[-3:]) / 3, float(vectors[place] @ title)]
        np.testing.assert_allclose(columns[place], plain)
    assert neighbours(vectors[:1], vectors[:1], [0], title)[0, :3].tolist() == [0, 0, 0]


def test_a_thread_is_read_in_pieces(model: Ranker) -> None:
    one = nd.Thread(
        nd.Article("a", ""), (nd.Comment("c", "no one asked us The trains are late again. Why?"),)
    )
    talk = Talk.of(one, model.features_.reader)
    assert [piece.text for piece in talk.reads[0].pieces] == [
        "no one asked us",
        "The trains are late again.",
        "Why?",
    ]
