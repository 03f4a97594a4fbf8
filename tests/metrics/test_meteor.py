"""METEOR: the jar and NLTK to the digit, a plain implementation as the measure of the batched one, and what must hold for any text."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from nltk.translate.meteor_score import meteor_score

from newsdesk.errors import ArgumentError, DataError, FileError
from newsdesk.metrics import metric, score
from newsdesk.metrics.alignment.aligner import Aligner, align as align_crossings
from newsdesk.text import Analyzer, Encoded, encode, tokenizer
from newsdesk.text.porter import stem as porter_stem
from newsdesk.text.snowball import stem as snowball_stem
from newsdesk.types import Reference
from tests.metrics import jar, slow_meteor
from tests.metrics.generated import Item, generated

FAMILIES = "the run runs running runner walk walks walked of news".split()
WORDS = st.lists(st.sampled_from(FAMILIES), max_size=14)
FEW_WORDS = st.lists(st.sampled_from("abc"), max_size=6)
TEXT = st.lists(st.sampled_from(["the", "cat", "cats", "sat", "on", "mat"]), max_size=7).map(
    " ".join
)
REFERENCES = st.lists(st.builds(Reference, TEXT, st.floats(0, 1)), min_size=1, max_size=4)
SPECS = [
    "w-meteor",
    "w-meteor(version='2005')",
    "w-meteor(profile='nltk')",
    "w-meteor(alignment='crossings')",
    "w-meteor(parameters='universal', stages='exact')",
]


def batch_of(items: list[Item], lang: str = "en") -> Encoded:
    return encode([i.candidate for i in items], [i.references for i in items], lang=lang)


def values(spec: str, items: list[Item]) -> np.ndarray:
    (result,) = score([spec], batch_of(items), per_item=True)
    return np.array(result.items)


def one(spec: str, candidate: str, *references: str | Reference, lang: str = "en") -> float:
    return metric(spec).score(candidate, references, lang=lang).value


def word_families(pairs: int) -> list[Item]:
    """Items of 1–27 references in which words share stems and repeat."""
    rng = random.Random(1)
    stems = "vote elect party report minister cluster comment rank".split()
    words = [stem + ending for stem in stems for ending in ("", "s", "ed", "ing")]
    words += "the of a to in was".split()

    def text() -> list[str]:
        vocabulary = rng.choice((words, words[:6], words[-8:]))
        return rng.choices(vocabulary, k=rng.randint(1, rng.choice((8, 20, 60))))

    def edited(candidate: list[str]) -> list[str]:
        cut, size = rng.randint(0, len(candidate)), rng.randint(1, 4)
        moved = candidate[cut:] + candidate[:cut]
        return moved[:-size] + rng.choices(words, k=size)

    items = []
    while pairs > 0:
        candidate = text()
        count = rng.choice((1, 2, 5, 27))
        references = [edited(candidate) if rng.random() < 0.6 else text() for _ in range(count)]
        items.append(Item(" ".join(candidate), tuple(map(" ".join, references))))
        pairs -= count
    return items


def real_items(folder: Path) -> list[Item]:
    items = []
    for name in ("BAGEL", "Newsroom", "REALSumm", "Rank19"):
        for line in (folder / "human_judgments" / f"{name}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            references = row.get("ref_summs") or [row.get("ref_summ")]
            summaries = row.get("sys_summs") or [row.get("sys_summ")]
            for each in list(summaries.values() if isinstance(summaries, dict) else summaries)[:2]:
                text = each.get("sys_summ", "") if isinstance(each, dict) else each
                if text and all(references):
                    items.append(Item(*_plain(text, references)))
    return items


def _plain(candidate: str, references: list[str]) -> tuple[str, tuple[str, ...]]:
    """Texts as the jar can read them: one line each, without its own separator."""
    lines = [" ".join(text.replace("|||", " ").split()) for text in (candidate, *references)]
    return lines[0], tuple(lines[1:])


def close(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.mean(np.abs(ours - theirs) <= 1e-6))


# Golden: METEOR 1.5 from pycocoevalcap's jar, run as `-l en -norm -m "exact stem"`, and nlg-eval's tests.


@pytest.mark.parametrize(
    ("candidate", "references", "value"),
    [
        ("the cat was sat on the mat", ["the cat sat on the mat"], 0.5119556177223324),
        ("this is a good test", ["this is a test", "this is also a test"], 0.4443438716),
        ("Le test est en français.", ["Test en français.", "Le test en français."], 0.4837238),
        (
            "this is the model generated sentence1 which seems good enough",
            [
                "this is one reference sentence for sentence1",
                "this is one more reference sentence for sentence1",
            ],
            0.1556568826,
        ),
    ],
)
def test_values_of_the_jar(candidate: str, references: list[str], value: float) -> None:
    for spec in ("meteor", "meteor(profile='jar')"):
        assert one(spec, candidate, *references) == pytest.approx(value, abs=5e-8)


def test_the_corpus_score_of_the_jar_comes_from_summed_statistics() -> None:
    items = [
        Item(
            "this is the model generated sentence1 which seems good enough",
            (
                "this is one reference sentence for sentence1",
                "this is one more reference sentence for sentence1",
            ),
        ),
        Item(
            "this is sentence2 which has been generated by your model",
            (
                "this is a reference sentence for sentence2 which was generated by your model",
                "this is the second reference sentence for sentence2",
            ),
        ),
    ]
    summed, mean = score(["meteor(profile='jar')", "meteor"], batch_of(items))
    assert summed.value == pytest.approx(0.2673152202390133, abs=1e-12)
    assert mean.value == pytest.approx((0.1556568826 + 0.3386217628) / 2, abs=1e-9)


# Golden: METEOR 2005, from NLTK 3.10 and its documentation.

GUIDE = (
    "It is a guide to action which ensures that the military always obeys the commands of the party",
    "It is a guide to action that ensures that the military will forever heed Party commands",
)


@pytest.mark.parametrize(
    ("candidate", "reference", "value"),
    [
        ("the cat was sat on the mat", "the cat sat on the mat", 0.9653916),
        ("a b c d e f", "a b c d e f", 0.9976852),
        ("hello", "hello", 0.5),
    ],
)
def test_values_of_2005(candidate: str, reference: str, value: float) -> None:
    for spec in ("meteor(version='2005')", "meteor(profile='nltk')"):
        assert one(spec, candidate, reference) == pytest.approx(value, abs=5e-8)


def test_nltk_needs_more_chunks_than_there_are() -> None:
    assert one("meteor(profile='nltk')", *GUIDE) == pytest.approx(0.6944, abs=5e-5)
    assert one("meteor(version='2005', alignment='nltk')", *GUIDE) == pytest.approx(
        0.6944, abs=5e-5
    )
    assert one("meteor(version='2005')", *GUIDE) == pytest.approx(0.7270, abs=5e-5)


# Against the jar.


@pytest.fixture(scope="module")
def items() -> list[Item]:
    return generated(1_000) + word_families(1_000)


def test_the_jar_says_the_same_of_generated_items(items: list[Item]) -> None:
    theirs, corpus = jar.scores(items, jar.EXACT_STEM)
    assert close(values("meteor(tokenizer='space')", items), np.array(theirs)) == 1.0
    theirs, corpus = jar.scores(items, jar.NORM)
    assert close(values("meteor(profile='jar')", items), np.array(theirs)) == 1.0
    (ours,) = score(["meteor(profile='jar')"], batch_of(items))
    assert ours.value == pytest.approx(corpus, abs=1e-9)


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ("parameters='adq'", jar.ADEQUACY),
        ("parameters='universal', stages='exact'", jar.UNIVERSAL),
        ("parameters='li', stages='exact'", jar.INDEPENDENT),
    ],
)
def test_the_jar_says_the_same_with_other_parameters(
    items: list[Item], settings: str, options: tuple[str, ...]
) -> None:
    theirs, _ = jar.scores(items[::4], options)
    assert (
        close(values(f"meteor(tokenizer='space', {settings})", items[::4]), np.array(theirs)) == 1.0
    )


@pytest.mark.real
def test_the_jar_says_the_same_of_real_text(shared_data: Path) -> None:
    real = real_items(shared_data)[::2]
    assert len(real) > 400
    theirs, corpus = jar.scores(real, jar.NORM)
    assert close(values("meteor(profile='jar')", real), np.array(theirs)) >= 0.995
    (ours,) = score(["meteor(profile='jar')"], batch_of(real))
    assert ours.value == pytest.approx(corpus, abs=1e-6)


MESSY = [
    "a",
    "B",
    "s",
    "5",
    "0",
    ".",
    "..",
    ",",
    "'",
    "''",
    "`",
    "‘",
    "’",
    "“",
    "-",
    "--",
    "–",
    " ",
    " ",
    "Mr",
    "No",
    "U.S",
    "e.g",
]
MESSY += [
    "v",
    "pp",
    "X",
    "é",
    "中",
    "й",
    "\u00a0",
    "\u3000",
    "\u2009",
    "\u200b",
    "!",
    "$",
    "(",
    "😀",
    "_",
    "Σ",
    "İ",
]


def test_the_jar_cuts_messy_text_into_the_same_words() -> None:
    rng = random.Random(7)

    def text() -> str:
        return "".join(rng.choices(MESSY, k=rng.randint(1, 14)))

    messy = [Item(text(), (text(), text())) for _ in range(1500)]
    theirs, _ = jar.scores(messy, jar.NORM)
    assert close(values("meteor(profile='jar')", messy), np.array(theirs)) == 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "Mr. Smith can't go. He's in the U.S., 3.5 km away.",
            "mr. smith can 't go . he 's in the us , 3.5 km away .",
        ),
        ("well-known 1990's 1,000 a,b (no) “x”…", 'well known 1990 \'s 1,000 a , b ( no ) " x " …'),
        ("No. 5 was No. Five. went. he", "no. 5 was no . five. went. he"),
        ("北京 wins", "北 京 wins"),
    ],
)
def test_the_words_of_the_jar(text: str, words: str) -> None:
    assert tokenizer("meteor").words(text) == words.split()


def test_two_words_with_one_java_hash_are_two_words() -> None:
    collision = [Item("ap x", ("c2 x",))]
    assert jar.scores(collision, jar.EXACT_STEM)[0] == [1.0]
    assert values("meteor", collision)[0] < 0.5


# Against NLTK.


class EmptyWordNet:
    def synsets(self, word: str) -> list[str]:
        return []


def test_nltk_says_the_same(items: list[Item]) -> None:
    theirs = [
        meteor_score([r.split() for r in i.references], i.candidate.split(), wordnet=EmptyWordNet())
        for i in items
    ]
    np.testing.assert_allclose(values("meteor(profile='nltk')", items), theirs, rtol=0, atol=1e-9)


# Against the plain implementation.


def counted(
    method: str, stem: str, pairs: list[tuple[list[str], list[str]]]
) -> list[tuple[int, ...]]:
    """Exact matches, stem matches and chunks of each pair."""
    batch = encode([c for c, _ in pairs], [[r] for _, r in pairs], lang="en")
    counts = Aligner(Analyzer(), method, stem, "none").counts(batch)
    return list(map(tuple, np.column_stack([counts.matches[:, :2], counts.chunks]).tolist()))


def plainly(matches: list[slow_meteor.Match]) -> tuple[int, int, int]:
    stems = sum(stage for _, _, stage in matches)
    return len(matches) - stems, stems, slow_meteor.chunk_count(matches)


PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6)


@given(PAIRS)
@settings(max_examples=150)
def test_the_batched_beam_finds_what_the_plain_one_finds(
    pairs: list[tuple[list[str], list[str]]],
) -> None:
    for method, rules in (("jar", slow_meteor.JAR), ("full", slow_meteor.FULL)):
        plain = [plainly(slow_meteor.align(c, r, snowball_stem, rules)) for c, r in pairs]
        assert counted(method, "snowball-2010", pairs) == plain


@given(st.lists(st.tuples(FEW_WORDS, FEW_WORDS), min_size=1, max_size=6))
@settings(max_examples=150)
def test_repeated_words_are_aligned_as_the_plain_beam_does(
    pairs: list[tuple[list[str], list[str]]],
) -> None:
    plain = [plainly(slow_meteor.align(c, r, snowball_stem, slow_meteor.JAR)) for c, r in pairs]
    assert counted("jar", "snowball-2010", pairs) == plain


def test_long_texts_overflow_the_beam_as_the_plain_one_does() -> None:
    rng = random.Random(3)
    pairs = [
        (rng.choices(FAMILIES, k=rng.randint(30, 90)), rng.choices(FAMILIES, k=70))
        for _ in range(8)
    ]
    for method, rules in (("jar", slow_meteor.JAR), ("full", slow_meteor.FULL)):
        plain = [plainly(slow_meteor.align(c, r, snowball_stem, rules)) for c, r in pairs]
        assert counted(method, "snowball-2010", pairs) == plain


@given(PAIRS)
def test_the_batched_nltk_rule_finds_what_the_plain_one_finds(
    pairs: list[tuple[list[str], list[str]]],
) -> None:
    plain = [plainly(slow_meteor.nltk_alignment(c, r, porter_stem)) for c, r in pairs]
    assert counted("nltk", "porter-nltk", pairs) == plain


@given(st.lists(st.sampled_from("abc"), max_size=5), st.lists(st.sampled_from("abc"), max_size=5))
def test_there_is_no_better_alignment(candidate: list[str], reference: list[str]) -> None:
    possible = slow_meteor.all_alignments(candidate, reference)
    numbers = [["abc".index(word) for word in words] for words in (candidate, reference)]
    matches = align_crossings(numbers[0], numbers[1], range(3))
    crossings = min(map(slow_meteor.crossing_count, possible))
    assert (len(matches), slow_meteor.crossing_count(matches)) == (len(possible[0]), crossings)
    chunks = min(map(slow_meteor.chunk_count, possible))
    assert counted("full", "porter", [(candidate, reference)]) == [(len(possible[0]), 0, chunks)]


@given(WORDS, WORDS)
def test_all_full_alignments_match_as_many_words(
    candidate: list[str], reference: list[str]
) -> None:
    (chunks,), (nltk,), (crossings,) = (
        counted(method, "porter-nltk", [(candidate, reference)])
        for method in ("full", "nltk", "crossings")
    )
    assert nltk[:2] == crossings[:2]
    assert sum(chunks[:2]) == sum(nltk[:2])


# Synonyms.


def write_wordnet(folder: Path, index: dict[str, list[int]], bases: dict[str, str]) -> str:
    for part in ("noun", "verb", "adj", "adv"):
        (folder / f"index.{part}").write_text("  1 the licence\n", "utf-8")
        (folder / f"{part}.exc").write_text("", "utf-8")
    with (folder / "index.noun").open("a", encoding="utf-8") as stream:
        for word, sets in index.items():
            offsets = " ".join(f"{number:08d}" for number in sets)
            stream.write(f"{word} n {len(sets)} 1 @ {len(sets)} 0 {offsets}\n")
    lines = (f"{form} {base}\n" for form, base in bases.items())
    (folder / "noun.exc").write_text("".join(lines), "utf-8")
    return str(folder)


@pytest.fixture
def small_wordnet(tmp_path: Path) -> str:
    index = {"car": [1], "auto": [1, 2], "vehicle": [2], "kid": [3], "child": [3], "box": [4]}
    return write_wordnet(tmp_path, index, {"children": "child"})


def test_words_that_share_a_synset_match(small_wordnet: str) -> None:
    spec = f"meteor(synonyms={small_wordnet!r})"
    assert one(spec, "car x", "auto x") == pytest.approx((0.8 + 1) / 2)
    assert one(spec, "cars x", "auto x") == pytest.approx((0.8 + 1) / 2)
    assert one(spec, "children x", "kid x") == pytest.approx((0.8 + 1) / 2)
    assert one(spec, "car x", "vehicle x") == one("meteor", "car x", "vehicle x")
    assert one(spec, "cars box", "car box") == pytest.approx((0.6 + 1) / 2)
    assert one(spec, "car auto car", "car auto car") == 1.0
    assert one(f"meteor(version='2005', synonyms={small_wordnet!r})", "kid", "child") == 0.5


def test_the_signature_tells_one_wordnet_from_another(small_wordnet: str) -> None:
    spec = f"meteor(synonyms={small_wordnet!r})"
    first = metric(spec).score("car", ["auto"], lang="en").signature
    assert "+synonym." in first
    assert "[0.8]" in first


def test_synonyms_without_their_files_are_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "index.noun").write_text("car n 9\n", "utf-8")
    with pytest.raises(FileError, match=r"not a WordNet folder, since it has no index\.verb"):
        one(f"meteor(synonyms={str(tmp_path)!r})", "car", "auto")
    write_wordnet(tmp_path, {}, {})
    (tmp_path / "index.noun").write_text("car n 9\n", "utf-8")
    with pytest.raises(DataError, match="'car n 9' is no line of a WordNet index"):
        one(f"meteor(synonyms={str(tmp_path)!r})", "car", "auto")


def jar_table(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[str, str]]:
    """A table of the jar has a key on one line and what belongs to it on the next."""
    lines = archive.read(name).decode("utf-8").splitlines()
    return zip(lines[::2], lines[1::2], strict=True)


def test_the_jar_says_the_same_with_its_own_synonyms(tmp_path: Path) -> None:
    with zipfile.ZipFile(jar.jar_path()) as archive:
        index = {
            word: [int(number) for number in sets.split()]
            for word, sets in jar_table(archive, "synonym/english.synsets")
        }
        bases: dict[str, str] = {}
        for base, forms in jar_table(archive, "synonym/english.exceptions"):
            for form in forms.split():
                bases[form] = f"{bases.get(form, '')} {base}".strip()
    folder = write_wordnet(tmp_path, index, bases)
    rng = random.Random(5)
    words = """car cars auto automobile vehicle went go goes move child children kid kids youngster big large great good better
        best well quick fast rapid say said state tell run runs running news report story men man ass as arsenic the of a was""".split()
    texts = [" ".join(rng.choices(words, k=rng.randint(1, 14))) for _ in range(1200)]
    items = [Item(texts[n], tuple(texts[n + 1 : n + 3])) for n in range(0, 1200, 3)]
    theirs, _ = jar.scores(items, jar.SYNONYMS)
    ours = values(f"meteor(tokenizer='space', synonyms={folder!r})", items)
    assert close(ours, np.array(theirs)) == 1.0
    assert np.mean(ours > values("meteor(tokenizer='space')", items) + 1e-9) > 0.2


# Properties.


def weighted(spec: str, candidate: str, references: list[Reference]) -> float:
    return metric(spec).score(candidate, references, lang="en").value


@pytest.mark.parametrize("spec", SPECS)
def test_weights_of_one_give_exactly_the_plain_value(spec: str) -> None:
    @given(TEXT, st.lists(TEXT, min_size=1, max_size=4))
    @settings(max_examples=50)
    def check(candidate: str, texts: list[str]) -> None:
        references = [Reference(text) for text in texts]
        assert weighted(spec, candidate, references) == weighted(spec[2:], candidate, references)

    check()


@pytest.mark.parametrize(
    "spec", [*SPECS, "w-meteor(reading='argmax')", "w-meteor(reading='paper')"]
)
def test_values_are_bounded_and_free_of_the_order_of_references(spec: str) -> None:
    @given(TEXT, REFERENCES)
    @settings(max_examples=50)
    def check(candidate: str, references: list[Reference]) -> None:
        value = weighted(spec, candidate, references)
        assert 0 <= value <= max(reference.weight for reference in references)
        assert weighted(spec, candidate, references[::-1]) == value

    check()


@pytest.mark.parametrize("spec", SPECS)
def test_a_higher_weight_never_lowers_the_value(spec: str) -> None:
    @given(TEXT, REFERENCES, st.floats(0, 1), st.data())
    @settings(max_examples=50)
    def check(
        candidate: str, references: list[Reference], weight: float, data: st.DataObject
    ) -> None:
        place = data.draw(st.integers(0, len(references) - 1))
        old = references[place]
        raised = [*references]
        raised[place] = Reference(old.text, max(weight, old.weight))
        assert weighted(spec, candidate, raised) >= weighted(spec, candidate, references)

    check()


def test_argmax_can_lower_the_value_when_a_weight_rises() -> None:
    # The counter-example of DEFINITIONS A, with the 2005 formula.
    def both(spec: str, weight: float) -> float:
        references = [Reference("a z f x d d b g", 0.16), Reference("b a f y c", weight)]
        return weighted(spec, "b g f", references)

    for spec in ("w-meteor(version='2005', reading='argmax')", "w-meteor(reading='paper')"):
        assert both(spec, 0.14) == pytest.approx(0.0545, abs=5e-5)
        assert both(spec, 0.248) == pytest.approx(0.0517, abs=5e-5)
    spec = "w-meteor(version='2005')"
    assert both(spec, 0.248) >= both(spec, 0.14)


@given(TEXT, TEXT, st.floats(0, 1))
def test_the_paper_s_reading_of_one_reference_is_its_weight_times_meteor_2005(
    candidate: str, text: str, weight: float
) -> None:
    value = weighted("w-meteor(reading='paper')", candidate, [Reference(text, weight)])
    plain = weighted("meteor(version='2005')", candidate, [Reference(text)])
    assert value == pytest.approx(weight * plain, abs=1e-12)


def test_the_paper_s_reading_is_2005_in_every_language() -> None:
    for lang in ("en", "zh"):
        assert "|version:2005|parameters:2005[" in signature("w-meteor(reading='paper')", lang)


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("The cat sat on the mat, and the cat ran.", "en"),
        ("我爱北京天安门，天安门上太阳升。", "zh"),
        ("東京へ行く人は東京で働く。", "ja"),
        ("x", "en"),
    ],
)
def test_identical_text_scores_one_in_1_5(text: str, lang: str) -> None:
    if lang in ("zh", "ja"):
        tokenizer(lang)
    assert one("meteor", text, text, "something else", lang=lang) == 1.0


@pytest.mark.parametrize(
    "spec",
    ["meteor", "meteor(version='2005')", *(s[2:] for s in SPECS[2:4]), "meteor(profile='jar')"],
)
def test_an_empty_text_scores_zero(spec: str) -> None:
    assert one(spec, "", "the cat") == 0.0
    assert one(spec, "the cat", "") == 0.0
    assert one(spec, "", "") == 0.0
    assert one(spec, "dog", "the cat") == 0.0


# Settings and signatures.


def signature(spec: str, lang: str = "en") -> str:
    return metric(spec).score("x", ["x"], lang=lang).signature


def test_the_signature_names_every_choice() -> None:
    assert signature("meteor").startswith(
        "meteor|version:1.5|parameters:en[0.85,0.2,0.6,0.75]|stages:exact[1]+stem.snowball-2010[0.6]|"
        "function-words:en|alignment:chunks.jar-40|corpus:mean|tok:en.1+lower|"
    )
    assert (
        "|version:1.5|parameters:universal[0.7,1.4,0.3,0.7]|stages:exact[1]|function-words:none|"
        in signature("meteor", "zh")
    )
    assert (
        "|version:2005|parameters:2005[0.9,3,0.5,0.5]|stages:exact[1]+stem.porter-nltk[1]|function-words:none|"
        "alignment:nltk|corpus:mean|tok:space.1+lower|" in signature("meteor(profile='nltk')", "zh")
    )
    assert "|corpus:sum|tok:meteor.1.5+lower|" in signature("meteor(profile='jar')", "ja")
    assert "|reading:argmax|" in signature("w-meteor(reading='paper')")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("meteor(version='1.4')", "version is '1.4', not one of"),
        ("meteor(stages='stem')", "stages is 'stem', not one of"),
        ("meteor(alignment='greedy')", "alignment is 'greedy', not one of"),
        ("meteor(profile='coco')", "profile is 'coco', not one of"),
        (
            "meteor(profile='nltk', version='1.5')",
            "the nltk profile has a version of its own, '2005'",
        ),
        (
            "meteor(profile='jar', tokenizer='en')",
            "the jar profile has a tokenizer of its own, 'meteor'",
        ),
        ("meteor(version='2005', parameters='en')", "parameters is 'en', not one of"),
        ("meteor(version='2005', function_words='en')", "function_words is 'en', not one of"),
        (
            "meteor(alignment='nltk', synonyms='x')",
            "synonyms need alignment 'chunks' and no profile",
        ),
        ("w-meteor(profile='jar')", "the jar sums statistics, which weights cannot enter"),
        ("w-meteor(reading='paper', version='1.5')", "reading='paper' is METEOR 2005, not 1.5"),
        ("w-meteor(reading='inner')", "reading is 'inner', not one of"),
    ],
)
def test_settings_that_do_not_fit_are_refused(spec: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        metric(spec)
