"""The demo's stage on scores: the sample's summarizers and comments scored, plain and weighted, with intervals and one match picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from newsdesk import records, samples
from newsdesk.metrics.partners import with_partners
from newsdesk.metrics.systems import join, score_system
from newsdesk.pages.page import Section
from newsdesk.pages.table import ranged
from newsdesk.studies.match import match_section
from newsdesk.types import Output, Reference, References

_PLAIN = ("rouge-1", "rouge-2", "rouge-l", "meteor", "chrf")
_PAIRS = with_partners(["w-meteor", "w-rouge-l", "w-cider", "w-bleu-1"])


def run(folder: Path) -> Section:
    """Score the summaries against the editors', and three kinds of comments against graded ones."""
    summaries = [References(event.id, (Reference(event.summary),)) for event in samples.events()]
    comments, references = _comments()
    files: dict[str, Sequence[Any]] = {
        "summary-references.jsonl": summaries,
        "comments.jsonl": comments,
        "comment-references.jsonl": references,
    }
    written = [(folder / name, records.write(folder / name, rows)) for name, rows in files.items()]
    records.write_manifest(folder / "manifest.json", written, spec="demo: scores", seed=0)
    section = Section(
        "Scores with signatures",
        "Four summarizers against the editors' summaries, with 95 % intervals by bootstrap over the twelve events.",
    )
    systems = join(samples.outputs(), summaries, lang="en")
    rows = {one.name: list(score_system(one, _PLAIN, samples=2_000)) for one in systems}
    section.table(
        ("system", *_PLAIN),
        [
            (name, *(ranged(each.value, each.ci) for each in scores))
            for name, scores in rows.items()
        ],
    )
    section.text(
        "Graded comments as references: a candidate that follows a poor comment earns less. Each kind is a real comment of its "
        "thread, held out of the references; weights are the mean grade, 1 worth 0 and 5 worth 1."
    )
    graded = join(comments, references, lang="en")
    weighted = {one.name: list(score_system(one, _PAIRS)) for one in graded}
    section.table(
        ("comment", *_PAIRS),
        [
            (name, *(ranged(each.value, each.ci) for each in scores))
            for name, scores in weighted.items()
        ],
    )
    signatures = dict.fromkeys(score.signature for score in (*rows["lead"], *weighted["best"]))
    section.signatures(list(signatures))
    section.summary = "The same numbers as the field's tools, each with an interval and a signature, plain and weighted by quality."
    section.include(match_section(systems[2], systems[2].ids[0], rows[systems[2].name]))
    return section.command(
        "newsdesk score newsroom/outputs.jsonl --references newsroom/clusters.jsonl --metrics rouge-1,rouge-2,rouge-l,meteor,chrf --ci"
    )


def _comments() -> tuple[list[Output], list[References]]:
    """Per thread the best, the most liked and the longest comment as candidates; all the others as references."""
    outputs, references = [], []
    for thread, graded in zip(samples.threads("en"), samples.references("en"), strict=True):
        chosen = {
            "best": max(thread.comments, key=lambda each: (each.score or 0, each.id)),
            "most liked": max(thread.comments, key=lambda each: (each.likes or 0, each.id)),
            "longest": max(thread.comments, key=lambda each: (len(each.text), each.id)),
        }
        taken = {comment.id for comment in chosen.values()}
        outputs += [
            Output(thread.article.id, name, comment.text) for name, comment in chosen.items()
        ]
        weighted_references = tuple(
            reference
            for comment, reference in zip(thread.comments, graded.references, strict=True)
            if comment.id not in taken
        )
        references.append(References(thread.article.id, weighted_references, lang="en"))
    return outputs, references
