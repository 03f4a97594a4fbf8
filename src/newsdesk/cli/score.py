"""`newsdesk score`: several systems and metrics in one go, as a table, JSON, CSV or LaTeX, and a picture of one item."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import click

from newsdesk.cli import options
from newsdesk.cli.emit import note, refuse_existing, refuse_same_output, show
from newsdesk.cli.options import flag, input_file, option
from newsdesk.cli.threads import ThreadFiles, reads_threads, weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from newsdesk.metrics.systems import System, SystemComparison, SystemScores, Test
    from newsdesk.results.table import Cell
    from newsdesk.stats.significance import Correction
    from newsdesk.types import Output

_DEFAULT = "rouge-1,rouge-2,rouge-l,bleu-4,meteor"
_TESTS = ("bootstrap", "randomization")  # the default first


class _ScoreCommand(click.Command):
    """A command whose `--significance` may stand without a value, even before a file name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give a bare `--significance` its default before click parses the arguments."""
        named = [
            f"--significance={_TESTS[0]}"
            if word == "--significance" and after not in _TESTS
            else word
            for word, after in itertools.zip_longest(args, args[1:])
        ]
        return super().parse_args(ctx, named)


@click.command("score", cls=_ScoreCommand)
@click.argument("outputs", type=options.INPUT, nargs=-1, required=True, metavar="OUTPUT...")
@input_file(
    "-r",
    "--references",
    "References, clusters with summaries, or threads, whose comments are references.",
    required=True,
)
@weights
@option(
    "-m",
    "--metrics",
    "Names or specs of metrics, comma-separated; `newsdesk list metrics` has the names.",
    default=_DEFAULT,
    metavar="METRICS",
)
@option("--lang", "Language of the texts; default: detected by script.", metavar="LANG")
@flag("--ci", "Add 95 % bootstrap confidence intervals over items.")
@option(
    "--significance",
    "test",
    "Also test every two systems against each other, paired by item; without a name: bootstrap.",
    type=click.Choice(_TESTS),
)
@option(
    "--correction",
    "Correction of the p-values of --significance.",
    type=click.Choice(["holm", "bonferroni", "bh"]),
    default="holm",
)
@options.samples
@options.seed
@option(
    "--item-scores",
    "per_item",
    "Also write the score of every item, as JSONL or .csv.",
    metavar="FILE",
)
@option(
    "--explain", "Write a page that shows how the words of this item were matched.", metavar="ID"
)
@option(
    "-o", "--out", "Output file; with --explain the page, by default match-ID.html.", metavar="FILE"
)
@option(
    "--output-format",
    "style",
    "Print a table (the default), CSV or LaTeX; not with --json.",
    type=click.Choice(["table", "csv", "latex"]),
)
@options.as_json()
@options.force
@reads_threads
def score_command(
    outputs: tuple[str, ...],
    references: str,
    weights: str | None,
    metrics: str,
    lang: str | None,
    test: Test | None,
    correction: Correction,
    per_item: str | None,
    explain: str | None,
    out: str | None,
    style: str | None,
    samples: int,
    seed: int,
    *,
    files: ThreadFiles,
    ci: bool,
    as_json: bool,
    force: bool,
) -> None:
    """Score the outputs of systems against references, plain and quality-weighted.

    \b
    Example:
      newsdesk score outputs.jsonl --references clusters.jsonl --metrics rouge-1,meteor --ci --significance
      newsdesk score outputs.jsonl --references clusters.jsonl --metrics rouge-l --json
      newsdesk score suggestions.jsonl --references threads.jsonl --metrics meteor,w-meteor
      newsdesk score hyp.txt --references ref.txt --ci
    """
    from newsdesk.languages import check_language
    from newsdesk.metrics.metric import metric
    from newsdesk.metrics.systems import (
        compare_systems,
        incomplete,
        pairing_notes,
        score_systems,
        split_specs,
    )
    from newsdesk.results.scores import write_items

    _check_formats(style, test, as_json=as_json)
    if lang:
        check_language(lang)
    refuse_same_output(_destinations(per_item, explain, out))
    for file in (per_item, out):
        if file:
            refuse_existing(file, force=force)
    specs = split_specs(metrics)
    for spec in specs:
        metric(spec)  # an unknown name fails before any file is read
    systems = _systems(outputs, references, files, weights, lang)
    for sentence in (*incomplete(systems), *pairing_notes(specs)):
        note(sentence)
    results = score_systems(systems, specs, samples=samples if ci else None, seed=seed)
    comparisons = None
    if test:
        drawn = {"samples": samples, "seed": seed}
        comparisons = compare_systems(systems, specs, test=test, correction=correction, **drawn)
    if per_item:
        write_items(per_item, results, overwrite=force)
    if explain:
        _write_explanation(explain, out, results, overwrite=force)
    text = _json(results, comparisons) if as_json else _plain(results, comparisons, style)
    show("-" if explain or not out else out, text, force=force)


def _systems(
    outputs: tuple[str, ...],
    references: str,
    files: ThreadFiles,
    weights: str | None,
    lang: str | None,
) -> list[System]:
    """Return each system's outputs beside their references, which may be the comments of threads."""
    from newsdesk import records
    from newsdesk.commenters.texts import references_of
    from newsdesk.metrics.systems import join
    from newsdesk.metrics.weights import Weighting
    from newsdesk.types import References

    weighting = Weighting.parse(weights) if weights else None
    answers = _answers(outputs)
    if not _are_threads(references, files):
        if weighting is not None:
            raise click.UsageError(
                f"--weights is for the scores of threads; {references} has weights of its own"
            )
        return join(answers, records.read(references, References), lang=lang)
    read = references_of(list(files.read(references)), weighting)
    for sentence in read.notes:
        note(sentence)
    scored = read.answered(answers)
    return join(scored, read.references, lang=lang, weighting=read.weighting)


def _answers(files: Iterable[str]) -> Iterator[Output]:
    """Yield the outputs of files; what was not read of suggestions is noted."""
    from newsdesk import records
    from newsdesk.types import Output

    for file in files:
        reader = records.read(file, Output)
        yield from reader
        for sentence in reader.account.notes:
            note(f"{file}: {sentence}")


def _are_threads(path: str, files: ThreadFiles) -> bool:
    """Return True if a file holds threads, by option or first line; standard input needs an option."""
    from newsdesk import records
    from newsdesk.errors import NewsdeskError
    from newsdesk.types import Thread

    if files.named or path == "-":
        return files.named
    try:
        reader = records.read_any(path)
    except NewsdeskError:  # another kind of references: its own reader says what is wrong
        return False
    reader.close()
    return reader.kind is Thread


def _check_formats(style: str | None, test: str | None, *, as_json: bool) -> None:
    if as_json and style:
        raise click.UsageError(
            f"--json and --output-format {style} exclude each other; choose one."
        )
    if test and style in ("csv", "latex"):
        raise click.UsageError(
            f"--significance prints a table or --json, not --output-format {style}."
        )


def _json(results: list[SystemScores], comparisons: list[SystemComparison] | None) -> str:
    from newsdesk.jsonl import json_text
    from newsdesk.results.scores import score_rows

    tests = (
        {}
        if comparisons is None
        else {"comparisons": [comparison.as_json() for comparison in comparisons]}
    )
    return json_text({"scores": list(score_rows(results)), **tests})


def _plain(
    results: list[SystemScores], comparisons: list[SystemComparison] | None, style: str | None
) -> str:
    from newsdesk.results.scores import as_csv, as_latex

    if style == "csv":
        return as_csv(results)
    return as_latex(results) if style == "latex" else _table(results, comparisons)


def _table(results: list[SystemScores], comparisons: list[SystemComparison] | None) -> str:
    from newsdesk.results.scores import score_cell, signatures
    from newsdesk.results.table import table

    rows: list[list[Cell]] = [
        [result.system.name, *map(score_cell, result.scores), len(result.system.ids)]
        for result in results
    ]
    shown = table(["system", *results[0].metrics, "n"], rows)
    lines = [shown, "", *signatures(results)]
    if comparisons:
        lines += ["", _comparison_table(comparisons), "", *_test_signatures(comparisons)]
    return "\n".join(lines)


def _comparison_table(comparisons: list[SystemComparison]) -> str:
    from newsdesk.results.table import table, with_ends

    header = ["metric", "first", "second", "difference", "p", "p corrected", "n"]
    rows: list[list[Cell]] = [
        [
            comparison.metric,
            comparison.first,
            comparison.second,
            with_ends(comparison.difference, (comparison.low, comparison.high)),
            comparison.p,
            comparison.p_corrected,
            comparison.n,
        ]
        for comparison in comparisons
    ]
    return table(header, rows)


def _test_signatures(comparisons: list[SystemComparison]) -> list[str]:
    return list(dict.fromkeys(comparison.signature for comparison in comparisons))


def _destinations(
    per_item: str | None, explain: str | None, out: str | None
) -> dict[str, str | None]:
    """Return where each output goes, by its option; with --explain the table is printed."""
    if not explain:
        return {"--out": out or "-", "--item-scores": per_item}
    from newsdesk.studies.match import match_file

    return {"the table": "-", "--item-scores": per_item, "--explain": out or match_file(explain)}


def _write_explanation(
    item: str, out: str | None, results: list[SystemScores], *, overwrite: bool
) -> None:
    from newsdesk.files import write_text
    from newsdesk.studies.match import match_file, match_page

    path = out or match_file(item)
    write_text(path, match_page(item, results), overwrite=overwrite)
    click.echo(f"wrote {path}", err=True)
