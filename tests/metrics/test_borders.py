"""Sentence borders in what is scored: the same numbers for `</s>`, for line breaks and for lists of sentences, by every metric."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from newsdesk.cli.main import main
from newsdesk.metrics import metric, score
from newsdesk.registry import METRICS as ALL, MODEL_METRICS
from newsdesk.text import encode
from newsdesk.types import Reference

METRICS = [name for name in ALL if name not in MODEL_METRICS]
CANDIDATES = (
    ("He was 88 .", "Best died in Hickory , North Carolina , on Monday"),
    ("It rained on Monday .", "It rained again ."),
)
REFERENCES = (
    (("Best died Monday .", "He was 88 ."), ("The actor was 88 and died in Hickory",)),
    (("It rained .", "on Monday the rain stopped in Hickory ."),),
)
PROFILES = (
    "bleu-4(profile='coco')",
    "bleu-4(profile='sacrebleu')",
    "rouge-1(profile='perl')",
    "rouge-2(profile='rouge_score', stem=True)",
    "rouge-l(profile='coco')",
    "rouge-lsum(profile='perl')",
    "meteor(profile='nltk')",
    "w-rouge-l(combine='union')",
    "soft-recall(combine='kernel')",
)
FORMS: dict[str, Callable[[Sequence[str]], object]] = {
    "lines": "\n".join,
    "marks": "</s>".join,
    "open and closed": lambda text: " ".join(f"<s> {each} </s>" for each in text),
    "lists": list,
}


def values(spec: str, form: Callable[[Sequence[str]], str]) -> tuple[float, ...]:
    references = [[Reference(form(each), 0.7) for each in some] for some in REFERENCES]
    batch = encode(list(map(form, CANDIDATES)), references, lang="en")
    (result,) = score([spec], batch, per_item=True)
    return (result.value, *(result.items or ()), *result.parts.values())


@pytest.mark.parametrize("spec", [*METRICS, *PROFILES])
def test_a_mark_scores_as_a_line_break_does(spec: str) -> None:
    expected = values(spec, "\n".join)
    for form in (FORMS["marks"], FORMS["open and closed"]):
        assert values(spec, form) == expected  # type: ignore[arg-type]


def test_the_example_of_the_guidance_scores_one() -> None:
    for spec in ("rouge-1", "bleu-1", "rouge-lsum"):
        assert metric(spec).score(
            "He was 88 .</s>Best died .", ["He was 88 .\nBest died ."]
        ).value == pytest.approx(1)


def scored(
    folder: Path, form: Callable[[Sequence[str]], object], capsys: pytest.CaptureFixture[str]
) -> object:
    """All scores that the command prints for files in which texts have this form."""
    outputs = [
        {"id": str(n), "system": "ours", "text": form(each)} for n, each in enumerate(CANDIDATES)
    ]
    known = [
        {"id": str(n), "references": [{"text": form(some[0]), "weight": 0.5}, *map(form, some[1:])]}
        for n, some in enumerate(REFERENCES)
    ]
    for name, rows in (("outputs", outputs), ("references", known)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = [str(folder / "outputs.jsonl"), "-r", str(folder / "references.jsonl")]
    assert main(["score", *files, "--lang", "en", "-m", ",".join(METRICS), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("form", list(FORMS)[1:])
def test_the_command_prints_the_same_for_every_form_of_sentences(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = scored(tmp_path, FORMS["lines"], capsys)
    assert scored(tmp_path, FORMS[form], capsys) == expected


@pytest.mark.parametrize(
    "spec", ["rouge-lsum(tokenizer='space')", "rouge-1(tokenizer='space')", "soft-recall"]
)
def test_a_mark_among_ready_words_is_no_word_and_a_border(spec: str) -> None:
    def ready(text: Sequence[str]) -> list[str]:
        return " </s> ".join(text).split()

    references = [[ready(each) for each in some] for some in REFERENCES]
    result = metric(spec).corpus(list(map(ready, CANDIDATES)), references, lang="en")
    assert result.value == pytest.approx(values(spec, "\n".join)[0])
