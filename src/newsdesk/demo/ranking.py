"""The demo's stages on comments: one thread ranked by `argument`, with reasons; and comments suggested by each system.

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
_TITLE_EXCERPT = 50
_AT = "2031-03-05T18:00:00Z"

_SHOWN = "2031-03-05-dam-release/2"
TOP = 5
_MODELS = ("like", "random", "length", "ranksvm(cost=0.01)", "argument")
_MEASURES = {"ndcg@5": "NDCG@5", "lmp": "LMP", "blmp": "bLMP"}
_EXCERPT = 64
_FIRST, _LAST = 3, 2


def suggestions_stage(folder: Path) -> Section:
    """Suggest by every commenter that ships, seal the suggestions, alter one and check."""
    article = next(
        thread.article for thread in samples.threads("en") if thread.article.id == HELD_OUT
    )
    records.write(folder / "articles.jsonl", [article], overwrite=True)
    by_system = {name: load_commenter(name).suggest(article, _EACH, at=_AT) for name in MODELS}
    suggestions = [suggestion for made in by_system.values() for suggestion in made]
    section = Section(
        "Comments suggested, and labelled as such",
        f"“{article.title}”: what each commenter suggests. Retrieved ones are words of readers under other articles, quoted without their names; generated ones were written by a "
        "network. All were fitted on the other eleven threads of the sample, far too few for more than a look. Nothing is posted anywhere.",
    )
    section.table(
        ("system", "machine-suggested", "source"),
        [
            (made[0].system, excerpt(made[0].shown, _SUGGESTION_EXCERPT), _origin(made[0]))
            for made in by_system.values()
            if made
        ],
    )
    section.fold(_suggested(suggestions).text(_checked(folder, suggestions)))
    section.summary = "six systems, each suggestion with its source."
    return section.command(
        "newsdesk comment suggest sample-ir-quality articles.jsonl",
        "Under your own articles; `newsdesk comment fit` learns from your own threads:",
    )


def _suggested(suggestions: Sequence[Suggestion]) -> Section:
    return Section("All suggestions").table(
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
    title = excerpt(str(source["title"]), _TITLE_EXCERPT)
    return f"a reader’s comment on “{title}”, similarity {source['similarity']:.2f}"


def shown_thread() -> Thread:
    """Return the thread that the report shows."""
    return next(thread for thread in samples.threads("en") if thread.article.id == _SHOWN)


def ranking_stage(folder: Path) -> Section:
    """Rank one thread by the ready model and one adapted on the other eleven.

    Then cross-validate over all twelve.
    """
    threads = samples.threads("en")
    shown = shown_thread()
    ready = load_ready(READY, "en")
    model = Argument().fit(thread for thread in threads if thread is not shown)
    model.save(folder / "model")
    records.write(folder / "thread.jsonl", [shown], overwrite=True)
    records.write(folder / "run.jsonl", model.run([shown]), overwrite=True)
    ranking = Ranking(Models(READY))
    write_ranked(str(folder / "ranked.html"), ranking.of([shown]), overwrite=True)
    orders = [order.rank(shown)[:TOP] for order in (ranker("like"), ready, model)]
    likes, before, after = map(share_of_yes, orders)
    section = Section(
        "Constructive comments first",
        "A model that ships ranks a thread without a vote; votes on other threads of a newsroom adapt it. Each place has its reasons: what the comment "
        "does, in its own words, and how much that moved it.",
    )
    section.summary = f"{likes:.0%} yes votes at the top by likes, {before:.0%} by the ready model, {after:.0%} adapted."
    if isinstance(ready, Argument):
        section.extend(_reasons(shown, ready.explain(shown)))
    details = Section("Three orders side by side, and all twelve threads measured")
    details.include(_side_by_side(orders))
    section.fold(details.include(_measures(_compared(threads))))
    return section.command(
        "newsdesk rank apply ready comments.csv -o ranked.html",
        "On your own comments, from any file or export:",
    )


def _side_by_side(orders: Sequence[Sequence[RankedComment]]) -> Section:
    """Return the first comments by likes, by the ready model and by the adapted one."""
    section = Section(f"The first {TOP} in three orders, with the votes")
    return section.table(
        ("", "by likes", "by the ready model", "adapted"),
        [(rank, *map(_cell_of, row)) for rank, row in enumerate(zip(*orders, strict=True), 1)],
        "Likes are less five times the dislikes; after each comment, how many of its judges called it constructive",
    )


def _cell_of(ranked: RankedComment) -> str:
    comment = ranked.comment
    return f"{excerpt(comment.text, _EXCERPT)} ({comment.yes} of {comment.votes})"


def share_of_yes(ranked: Sequence[RankedComment]) -> float:
    """Return the share of yes among all votes on these comments."""
    comments = [entry.comment for entry in ranked]
    return sum(c.yes or 0 for c in comments) / sum(c.votes or 0 for c in comments)


def _reasons(thread: Thread, explained: Sequence[Explained]) -> Section:
    """Return the first and the last comments, with what speaks for and against them."""
    section = Section("Why they stand there")
    comments = {comment.id: comment for comment in thread.comments}
    best_first = sorted(explained, key=lambda entry: -entry.score)
    rows = []
    for entry in (*best_first[:_FIRST], *best_first[-_LAST:]):
        comment = comments[entry.comment]
        votes = f"{comment.yes} of {comment.votes}"
        rows.append((entry.standing, excerpt(comment.text, _EXCERPT), _reasons_of(entry), votes))
    return section.table(
        ("", "comment", "why", "yes"),
        rows,
        f"The first {_FIRST} and the last {_LAST} comments as the ready model orders them; it has not seen the votes",
    )


def _reasons_of(explained: Explained) -> str:
    """Return the reasons of one comment, each with a sign."""
    return "; ".join(
        f"{'+' if reason.effect > 0 else '−'} {reason.label}" for reason in explained.signs
    )


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
