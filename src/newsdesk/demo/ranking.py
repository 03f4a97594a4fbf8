"""The demo's stages on comments: one thread ranked by likes, by length and by `argument`, with reasons; and comments suggested by each system.

All threads are measured by cross-validation. A suggestion is shown with label, source, score and seal.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from newsdesk import records, samples
from newsdesk.commenters.commenter import HELD_OUT, MODELS, load_commenter
from newsdesk.commenters.suggestion import Suggestion, open_key, sealed, verify
from newsdesk.errors import MissingExtraError
from newsdesk.files import write_text
from newsdesk.jsonl import json_text
from newsdesk.rankers.argument.model import Argument
from newsdesk.rankers.evaluation.compare import Entrant, RankerComparison, compare, cross_validation
from newsdesk.rankers.evaluation.judged import Judged
from newsdesk.rankers.ranked import Ranking
from newsdesk.rankers.ranked_files import write_ranked
from newsdesk.rankers.ranker import Explained, RankedComment, ranker
from newsdesk.rankers.ready import READY, Models, load_ready
from newsdesk.results.page import Section
from newsdesk.results.table import ranged
from newsdesk.types import Thread
from newsdesk.wording import excerpt

_EACH = 2
_SUGGESTION_EXCERPT = 160
_AT = "2031-03-05T18:00:00Z"

_SHOWN = "2031-03-05-dam-release/2"
_TOP = 5
_MODELS = ("like", "random", "length", "ranksvm(cost=0.01)", "argument")
_MEASURES = {"ndcg@5": "NDCG@5", "lmp": "LMP", "blmp": "bLMP"}
_EXCERPT = 90


def suggestions_stage(folder: Path) -> Section:
    """Suggest by every commenter that ships, seal the suggestions, alter one and check."""
    article = next(
        thread.article for thread in samples.threads("en") if thread.article.id == HELD_OUT
    )
    records.write(folder / "articles.jsonl", [article], overwrite=True)
    suggestions = [
        suggestion
        for name in MODELS
        for suggestion in load_commenter(name).suggest(article, _EACH, at=_AT)
    ]  # fmt: skip
    section = Section(
        "Comments suggested, and labelled as such",
        f"“{article.title}”: what each commenter suggests. Retrieved ones are words of readers under other articles, quoted without their names; generated ones were written by a "
        "network. All were fitted on the other eleven threads of the sample, far too few for more than a look. Nothing is posted anywhere.",
    )
    section.table(
        ("system", "label", "score", "suggestion", "source"),
        [
            (
                suggestion.system,
                suggestion.label,
                f"{suggestion.score:.3f}",
                excerpt(suggestion.shown, _SUGGESTION_EXCERPT),
                _origin(suggestion),
            )
            for suggestion in suggestions
        ],
        "The score of a retrieved comment is its share among the candidates, that of a generated one a mean log probability",
    )
    section.text(_checked(folder, suggestions))
    section.summary = "Five systems of the literature and our own suggest comments; each suggestion says that a machine made it, from what, and whether it was altered."
    return section.code(
        "newsdesk comment suggest sample-ir-quality suggestions/articles.jsonl\n"
        "newsdesk comment verify suggestions/suggestions.jsonl"
    )


def _checked(folder: Path, suggestions: list[Suggestion]) -> str:
    """Seal all suggestions, write them, and say what checking finds of the first, unaltered and altered."""
    try:
        key = open_key(folder / "key")
    except MissingExtraError as error:
        write_text(folder / "suggestions.jsonl", _lines(suggestions), overwrite=True)
        return f"The suggestions are not sealed: {error}."
    signed = [sealed(suggestion, key) for suggestion in suggestions]
    write_text(folder / "suggestions.jsonl", _lines(signed), overwrite=True)
    first = signed[0].as_json()
    altered = {**first, "label": "written by a reader"}
    return (
        f"Every suggestion is sealed with a key of the demo's own. The first one, checked: {verify(first)}. The same with another label: {verify(altered)}."
    )  # fmt: skip


def _lines(suggestions: list[Suggestion]) -> str:
    return "".join(json_text(suggestion.as_json()) + "\n" for suggestion in suggestions)


def _origin(suggestion: Suggestion) -> str:
    source = suggestion.source
    if source["kind"] == "generated":
        return f"generated, place {source['beam']} of the beam"
    return f"a reader’s comment on “{source['title']}”, similarity {source['similarity']:.2f}"


def ranking_stage(folder: Path) -> Section:
    """Rank one thread by the ready model and one adapted on the other eleven.

    Then cross-validate over all twelve.
    """
    threads = samples.threads("en")
    shown = next(thread for thread in threads if thread.article.id == _SHOWN)
    ready = load_ready(READY, "en")
    model = Argument().fit(thread for thread in threads if thread is not shown)
    model.save(folder / "model")
    records.write(folder / "thread.jsonl", [shown], overwrite=True)
    records.write(folder / "run.jsonl", model.run([shown]), overwrite=True)
    ranking = Ranking(Models(READY))
    write_ranked(str(folder / "ranked.html"), ranking.of([shown]), overwrite=True)
    section = Section(
        "Constructive comments first",
        f"“{shown.article.title}”: its {len(shown.comments)} comments by likes (less five times the dislikes), by the ready model, "
        "which has seen no vote of this newsroom, and by the same model adapted to the votes on the other eleven threads. After each comment, how many of its judges called it constructive.",
    )
    orders = [order.rank(shown)[:_TOP] for order in (ranker("like"), ready, model)]
    section.table(
        ("", "by likes", "by the ready model", "adapted"),
        [(rank, *map(_cell_of, row)) for rank, row in enumerate(zip(*orders, strict=True), 1)],
    )
    likes, before, after = map(_share_of_yes, orders)
    section.summary = (
        f"Of the votes on the first {_TOP} comments, {likes:.0%} say constructive when likes decide, {before:.0%} when the ready model does, "
        f"{after:.0%} when it has learned from the votes on other threads."
    )
    if isinstance(ready, Argument):
        section.include(_reasons(shown, ready.explain(shown)))
    section.include(_measures(_compared(threads)))
    return section.code(
        "newsdesk rank apply ready ranking/thread.jsonl -o ranked.html\n"
        "newsdesk rank explain ready ranking/thread.jsonl\n"
        "newsdesk rank apply ranking/model ranking/thread.jsonl"
    )


def _cell_of(ranked: RankedComment) -> str:
    comment = ranked.comment
    return f"{excerpt(comment.text, _EXCERPT)} ({comment.yes} of {comment.votes})"


def _share_of_yes(ranked: Sequence[RankedComment]) -> float:
    """Return the share of yes among all votes on these comments."""
    comments = [entry.comment for entry in ranked]
    return sum(c.yes or 0 for c in comments) / sum(c.votes or 0 for c in comments)


def _reasons(thread: Thread, explained: Sequence[Explained]) -> Section:
    """Return the first and the last comments, with what speaks for and against them."""
    section = Section("Why they stand there")
    text = {comment.id: comment.text for comment in thread.comments}
    best_first = sorted(explained, key=lambda entry: -entry.score)
    section.table(
        ("comment", "standing", "for it", "against it"),
        [
            (
                excerpt(text[entry.comment], _EXCERPT),
                entry.standing,
                _listed(entry, 1),
                _listed(entry, -1),
            )
            for entry in (*best_first[:4], *best_first[-3:])
        ],
        "Where the comment stands in its thread, and what speaks for and against it",
    )
    return section


def _listed(explained: Explained, sign: int) -> str:
    words = [reason.label for reason in explained.signs if reason.effect * sign > 0]
    if sign < 0 and explained.padding:
        words.append(f"counts little: “{excerpt(explained.padding[0], _EXCERPT)}”")
    return "; ".join(words)


def _compared(threads: Sequence[Thread]) -> RankerComparison:
    series = cross_validation(threads, 3, seed=0)
    entrants = [Entrant.of(spec) for spec in _MODELS]
    with _without_warnings():
        return compare(Judged.of(threads), entrants, series, (5,), samples=2_000)


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Silence the warning about little data, of which the report speaks itself."""
    log = logging.getLogger("newsdesk.rankers.ranker")
    log.disabled = True
    try:
        yield
    finally:
        log.disabled = False


def _measures(comparison: RankerComparison) -> Section:
    section = Section("All twelve threads, each ranked by a model that has not seen it")
    rows = [
        (
            name.partition("(")[0],
            *(ranged(measured[measure].value, measured[measure].ci) for measure in _MEASURES),
        )
        for name, measured in comparison.evaluation.systems.items()
    ]
    section.table(("ranker", *_MEASURES.values()), rows)
    return section.text(
        "Where people vote for long comments, NDCG@5 flatters whoever counts letters. LMP looks at pairs of about equal length only; bLMP also sees to it that the better comment is as "
        "often the shorter as the longer one: any function of length alone scores .500 there. Twelve threads that we wrote ourselves "
        "show how it works and prove nothing; real votes are in docs/results.md."
    )
