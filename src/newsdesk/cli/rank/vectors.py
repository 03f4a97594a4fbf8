"""`newsdesk rank vectors`: skip-gram word vectors of comments that nobody needs to have judged, for the neural rankers."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.output import refuse_existing


@click.command("vectors")
@click.argument("threads", type=options.INPUT, nargs=-1, required=True, metavar="THREADS...")
@click.option(
    "--dimensions", type=options.COUNT, default=300, show_default=True, help="Numbers per word."
)
@click.option(
    "--epochs",
    type=options.COUNT,
    default=5,
    show_default=True,
    help="How often the comments are read.",
)
@click.option(
    "--min-count",
    type=options.COUNT,
    default=4,
    show_default=True,
    help="Rarer words become <unk>.",
)
@click.option("--lang", help="The language of all threads; found from each when left out.")
@options.seed
@click.option("-o", "--out", required=True, help="A text file, a word and its numbers a line.")
@options.force
def vectors_command(
    threads: tuple[str, ...],
    dimensions: int,
    epochs: int,
    min_count: int,
    lang: str | None,
    seed: int,
    out: str,
    *,
    force: bool,
) -> None:
    """Train skip-gram word vectors on the comments of threads, judged or not.

    \b
    Example:
      newsdesk rank vectors threads.jsonl -o vectors.txt
      newsdesk rank fit --model "ranknet(vectors='vectors.txt')" --train train.jsonl -o model/
    """
    from newsdesk import records
    from newsdesk.cli.progress import counted
    from newsdesk.errors import ArgumentError
    from newsdesk.nn.vector_files import write_vectors
    from newsdesk.nn.vectors import SkipGram, word_vectors
    from newsdesk.rankers.features import Bags
    from newsdesk.rankers.neural import known_words
    from newsdesk.types import Thread

    refuse_existing(out, force=force)
    read = [
        Bags(lang=lang).sequences(thread)
        for path in threads
        for thread in records.read(path, Thread)
    ]
    vocabulary = known_words(read, min_count)
    if len(vocabulary) == 1:
        raise ArgumentError(f"no word comes {min_count} times; lower --min-count")
    settings = SkipGram(dimensions=dimensions, epochs=epochs, seed=seed)
    texts = [words for _, comments in read for words in comments]
    done = 0
    with counted("skip-gram vectors", 100) as tell:

        def heard(share: float) -> None:
            nonlocal done
            while done < int(100 * share):
                done += 1
                tell(done)

        vectors = word_vectors(texts, vocabulary, settings, heard)
    write_vectors(out, vocabulary, vectors, overwrite=force)
    click.echo(f"{len(vocabulary):,} words of {len(texts):,} comments", err=True)
