"""What holds for every text metric: the contract that runs over the whole table, and what weights may and may not do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from newsdesk.errors import ArgumentError, DataError, SpecError
from newsdesk.metrics import metric, score
from newsdesk.metrics.cider import load_idf, save_idf
from newsdesk.metrics.overlap import lcs_lengths, lcs_members
from newsdesk.metrics.systems import plain_partner
from newsdesk.registry import METRICS as ALL, MODEL_METRICS, Spec
from newsdesk.text import encode
from newsdesk.text.ragged import Ragged
from newsdesk.types import Reference

pytestmark = pytest.mark.usefixtures("both_ways")

# Those that need a model: tests/llm/test_metrics.py.
METRICS = [name for name in ALL if name not in MODEL_METRICS]
WEIGHTED = [name for name in METRICS if name.startswith("w-")]
READINGS = [
    *WEIGHTED,
    "w-bleu-2(reading='outer')",
    "w-bleu-2(bp='positive')",
    "w-bleu-2(reading='delta')",
    "w-rouge-l(combine='bestf')",
    "w-rouge-l(combine='perl')",
    "w-rouge-l(combine='union')",
    "w-rouge-l(combine='union', recall='longest')",
    "w-rouge-l(combine='union+max', recall='mean')",
    "w-cider(norm=True)",
    "w-bleu-1(reading='paper')",
    "w-meteor(reading='argmax')",
    "w-meteor(reading='paper')",
    "w-rouge-l(reading='paper')",
    "w-cider(reading='paper')",
    "w-soft-recall(combine='kernel')",
    "w-soft-recall(sentence_words=2)",
]
# As DEFINITIONS says, these readings are not monotone in the weights.
NOT_MONOTONE = {
    "w-bleu-2(reading='delta')",
    "w-cider(norm=True)",
    "w-bleu-2(bp='positive')",
    "w-meteor(reading='argmax')",
    "w-meteor(reading='paper')",
}

TEXT = st.lists(st.sampled_from("a b c d e".split()), max_size=7).map(" ".join)
WEIGHT = st.floats(0, 1)
REFERENCES = st.lists(st.builds(Reference, TEXT, WEIGHT), min_size=1, max_size=4)
# A second item that never changes gives CIDEr something to tell apart.
OTHER = ("x y z", [Reference("x y"), Reference("q r s", 0.5)])


def value(spec: str, candidate: str, references: list[Reference]) -> float:
    batch = encode([candidate, OTHER[0]], [references, OTHER[1]], lang="en")
    items = score([spec], batch, per_item=True)[0].items
    assert items is not None
    return items[0]


@pytest.mark.parametrize("spec", list(METRICS))
def test_values_stay_in_their_bounds(spec: str) -> None:
    upper = 10.0 if spec == "cider-d" else 1.0

    @given(TEXT, REFERENCES)
    @settings(max_examples=60)
    def check(candidate: str, references: list[Reference]) -> None:
        assert -1e-12 <= value(spec, candidate, references) <= upper + 1e-12

    check()


@pytest.mark.parametrize("spec", [*METRICS, *READINGS])
def test_the_order_of_references_does_not_matter(spec: str) -> None:
    @given(TEXT, REFERENCES)
    @settings(max_examples=40)
    def check(candidate: str, references: list[Reference]) -> None:
        forth = value(spec, candidate, references)
        assert forth == pytest.approx(value(spec, candidate, references[::-1]), abs=1e-12)

    check()


@pytest.mark.parametrize("spec", [*WEIGHTED, *filter(plain_partner, READINGS)])
def test_weights_of_one_give_exactly_the_plain_metric(spec: str) -> None:
    @given(TEXT, st.lists(TEXT, min_size=1, max_size=4))
    @settings(max_examples=60)
    def check(candidate: str, texts: list[str]) -> None:
        references = [Reference(text) for text in texts]
        plain = value(str(plain_partner(spec)), candidate, references)
        assert value(spec, candidate, references) == pytest.approx(plain, abs=1e-12)

    check()


@pytest.mark.parametrize("spec", [each for each in READINGS if each not in NOT_MONOTONE])
def test_a_better_grade_never_lowers_the_score(spec: str) -> None:
    @given(TEXT, REFERENCES, st.integers(0, 3), WEIGHT)
    @settings(max_examples=80)
    def check(candidate: str, references: list[Reference], place: int, weight: float) -> None:
        place %= len(references)
        old = references[place]
        better = list(references)
        better[place] = Reference(old.text, max(old.weight, weight))
        assert value(spec, candidate, better) >= value(spec, candidate, references) - 1e-12

    check()


@pytest.mark.parametrize("spec", WEIGHTED)
def test_worthless_references_earn_nothing(spec: str) -> None:
    references = [Reference("a b c d", 0.0), Reference("a b c", 0.0)]
    assert value(spec, "a b c d", references) == 0


SENTENCES = {
    "en": "The ferry left the harbour in thick fog.",
    "zh": "渡轮在大雾中离开了港口，没有人受伤。",
    "ja": "フェリーは濃い霧の中で港を出た。",
    "ru": "Паром вышел из гавани в густом тумане.",
}


@pytest.mark.parametrize("lang", SENTENCES)
@pytest.mark.parametrize("spec", [name for name in METRICS if "cider" not in name])
def test_an_identical_text_scores_one_in_every_language(lang: str, spec: str) -> None:
    value = metric(spec).score(SENTENCES[lang], [SENTENCES[lang]], lang=lang).value
    assert value == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("lang", SENTENCES)
@pytest.mark.parametrize("spec", ["cider", "cider-d", "w-cider"])
def test_no_candidate_beats_the_reference_itself(lang: str, spec: str) -> None:
    reference, other = SENTENCES[lang], SENTENCES["en" if lang != "en" else "ja"]
    candidates = [reference, reference[:-4], reference + " " + reference, other, ""]
    batch = encode([*candidates, other], [*([[reference]] * len(candidates)), [other]], lang=lang)
    items = score([spec], batch, per_item=True)[0].items
    assert items is not None
    assert max(items[: len(candidates)]) == items[0] > items[3]


@pytest.mark.parametrize("spec", list(METRICS))
def test_an_empty_candidate_or_reference_scores_zero_not_nan(spec: str) -> None:
    assert metric(spec).score("", ["a b c d"], lang="en").value == 0
    assert metric(spec).score("a b c d", [""], lang="en").value == 0
    assert metric(spec).score("", [""], lang="en").value == 0


@pytest.mark.parametrize("spec", [*METRICS, *READINGS])
def test_a_signature_names_the_metric_the_tokenizer_and_the_references(spec: str) -> None:
    batch = encode(["a b"], [[Reference("a b", 0.5)]], lang="en")
    (result,) = score([spec], batch)
    name, *fields = result.signature.split("|")
    assert Spec.parse(name) == Spec.parse(spec)
    keys = [field.partition(":")[0] for field in fields]
    assert {"tok", "refs", "newsdesk"} <= set(keys)
    assert ("weights" in keys) == spec.startswith("w-")
    other = encode(["a b"], [[Reference("a b", 0.25)]], lang="en")
    assert score([spec], other)[0].signature != result.signature


@pytest.mark.parametrize("spec", [*METRICS, *READINGS])
def test_statistics_add_up_to_the_corpus_score(spec: str) -> None:
    candidates = ["a b c", "b c d e", ""]
    references: list[list[str | Reference]] = [["a b"], [Reference("b c d", 0.4), "e d c"], ["a"]]
    batch = encode(candidates, references, lang="en")
    one = metric(spec)
    rows = one.statistics(batch)
    (whole,) = score([one], batch)
    assert rows.shape[0] == 3
    assert one.values(rows.sum(axis=0, keepdims=True))[0] == whole.value


def test_several_metrics_share_one_encoding() -> None:
    batch = encode(["a b c"], [["a b d"]], lang="en")
    scores = score(["bleu-2", "rouge-l(combine='coco')", "bleu-2"], batch)
    assert scores[0].value == scores[2].value
    assert len(batch._units) == 2  # as written, and in lower case


def test_what_cannot_be_scored_says_why() -> None:
    with pytest.raises(ArgumentError, match=r"item 1 \(counted from 0\) has no references"):
        score(["rouge-1"], encode(["a", "b"], [["a"], []]))
    with pytest.raises(ArgumentError, match="metrics is one text, 'rouge-1'"):
        score("rouge-1", encode(["a"], [["a"]]))
    with pytest.raises(ArgumentError, match="nothing to score"):
        score(["rouge-1"], encode([], []))
    with pytest.raises(DataError, match="not a number from 0 to 1"):
        Reference("a", 1.5)
    with pytest.raises(SpecError, match="did you mean 'rouge-l'"):
        metric("rouge_l")
    with pytest.raises(SpecError, match="'beat' is no setting; did you mean 'beta'"):
        metric("rouge-l(beat=1)")
    with pytest.raises(ArgumentError, match="profile is 'cocoa', not one of None, 'coco'"):
        metric("bleu-4(profile='cocoa')")
    with pytest.raises(ArgumentError, match="formula of its own"):
        metric("bleu-4(profile='coco', smooth='exp')")


def test_a_saved_idf_gives_the_same_cider(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = str(tmp_path_factory.mktemp("idf") / "idf.json")
    batch = encode(["a b c", "c d e"], [["a b", "b c a"], ["c d", "a x"]], lang="en")
    saved = save_idf(path, batch)
    assert saved == load_idf(path)
    assert (saved.items, saved.df["a"], saved.df["a\tb"], saved.df["b\tc\ta"]) == (2, 2, 1, 1)
    own, filed = (
        score([spec], batch, per_item=True)[0].items for spec in ("cider", f"cider(idf={path!r})")
    )
    assert own == pytest.approx(filed, abs=1e-12)
    # With a saved idf one item alone has a score.
    alone = encode(["a b c"], [["a b", "b c a"]], lang="en")
    assert score(["cider"], alone)[0].value == 0
    assert score([f"cider(idf={path!r})"], alone)[0].value == pytest.approx(own[0] if own else 0)
    (tmp := tmp_path_factory.mktemp("bad") / "x.json").write_text("[]")
    with pytest.raises(DataError, match="not a saved idf"):
        load_idf(str(tmp))


def plain_lcs(a: list[int], b: list[int]) -> int:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
            )
    return table[-1][-1]


ROWS = st.lists(st.integers(0, 3), max_size=8)


@given(st.lists(st.tuples(ROWS, ROWS), max_size=6))
def test_lcs_members_are_a_longest_common_subsequence(
    pairs: list[tuple[list[int], list[int]]],
) -> None:
    first, second = (Ragged.of_rows([pair[side] for pair in pairs]) for side in (0, 1))
    lengths = [plain_lcs(a, b) for a, b in pairs]
    assert lcs_lengths(first, second).tolist() == lengths
    for rule in ("leftmost", "rouge_score"):
        member = lcs_members(first, second, rule)
        for place, (a, b) in enumerate(pairs):
            inside = member[first.offsets[place] : first.offsets[place + 1]]
            common = [x for x, member in zip(a, inside, strict=True) if member]
            rest = iter(b)
            assert len(common) == lengths[place]
            assert all(any(x == y for y in rest) for x in common)


@given(ROWS, ROWS)
def test_the_leftmost_lcs_is_leftmost(a: list[int], b: list[int]) -> None:
    import itertools

    def common(places: tuple[int, ...]) -> bool:
        rest = iter(b)
        return all(any(a[place] == y for y in rest) for place in places)

    length = plain_lcs(a, b)
    choices = itertools.combinations(range(len(a)), length)
    leftmost = next(places for places in choices if common(places))  # in lexicographic order
    member = lcs_members(Ragged.of_rows([a]), Ragged.of_rows([b]), "leftmost")
    assert tuple(np.flatnonzero(member)) == leftmost


def test_a_vocabulary_beyond_unicode_is_matched_too() -> None:
    rows = Ragged.of_rows([[5, 2_000_000, 7]]), Ragged.of_rows([[2_000_000, 7]])
    assert lcs_lengths(*rows).tolist() == [2]


@pytest.mark.parametrize("spec", [*METRICS, *READINGS, "meteor(profile='jar')"])
def test_an_interval_adds_up_only_what_the_score_reads(spec: str) -> None:
    batch = encode(["a b c", "d e"], [["a c b", "x"], ["d e"]], lang="en")
    rows = metric(spec).statistics(batch)
    read = metric(spec).scored(rows)
    assert (metric(spec).values(read) == metric(spec).values(rows)).all()
    assert read.shape[1] < rows.shape[1] or not metric(spec).parts(rows)
