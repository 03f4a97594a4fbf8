"""`newsdesk rank vectors`: skip-gram word vectors of unlabelled comments, for the neural rankers."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing
from newsdesk.cli.threads import ThreadFiles, reads_threads


@click.command("vectors")
@click.argument("threads", type=options.INPUT, nargs=-1, required=True, metavar="THREADS...")
@click.option(
    "--dimensions",
    type=options.COUNT,
    default=300,
    show_default=True,
    help="Dimensions of a word vector.",
)
@click.option(
    "--epochs",
    type=options.COUNT,
    default=5,
    show_default=True,
    help="Number of passes over the comments.",
)
@click.option(
    "--min-count",
    type=options.COUNT,
    default=4,
    show_default=True,
    help="Words that occur fewer times are replaced by <unk>.",
)
@click.option(
    "--lang", metavar="LANG", help="Language of all threads; default: detected for each thread."
)
@options.seed
@click.option(
    "-o", "--out", required=True, metavar="FILE", help="Output file in word2vec's text format."
)
@options.force
@reads_threads
def vectors_command(
    threads: tuple[str, ...],
    dimensions: int,
    epochs: int,
    min_count: int,
    lang: str | None,
    seed: int,
    out: str,
    *,
    files: ThreadFiles,
    force: bool,
) -> None:
    """Train skip-gram word vectors on the comments of threads, judged or not.

    \b
    Example:
      newsdesk rank vectors threads.jsonl -o vectors.txt
      newsdesk rank fit --model "ranknet(vectors='vectors.txt')" --train train.jsonl -o ranknet/
    """
    from newsdesk.cli.progress import drawn
    from newsdesk.nn.vectors import SkipGram, write_vectors
    from newsdesk.rankers.ordering import comment_vectors
    from newsdesk.wording import plural

    refuse_existing(out, force=force)
    settings = SkipGram(dimensions=dimensions, epochs=epochs, seed=seed)
    read = (thread for path in threads for thread in files.read(path))
    with drawn() as progress:
        words = comment_vectors(read, settings, min_count=min_count, lang=lang, progress=progress)
    write_vectors(out, words.vocabulary, words.vectors, overwrite=force)
    click.echo(
        f"{plural(len(words.vocabulary), 'word')} of {plural(words.comments, 'comment')}", err=True
    )
