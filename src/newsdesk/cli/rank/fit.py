"""`newsdesk rank fit`: fit a ranker on threads, or on the judgments of a campaign."""

from __future__ import annotations

import click

from newsdesk.cli import options
from newsdesk.cli.emit import refuse_existing
from newsdesk.cli.options import flag, input_file, option, whole_number
from newsdesk.cli.presets import preset_option
from newsdesk.cli.threads import ThreadFiles, reads_threads


@click.command("vectors")
@click.argument("threads", type=options.INPUT, nargs=-1, required=True, metavar="THREADS...")
@whole_number("--dimensions", "Dimensions of a word vector.", default=300)
@whole_number("--epochs", "Number of passes over the comments.", default=5)
@whole_number("--min-count", "Words that occur fewer times are replaced by <unk>.", default=4)
@option("--lang", "Language of all threads; default: detected for each thread.", metavar="LANG")
@preset_option("rank vectors")
@options.seed
@option("-o", "--out", "Output file in word2vec's text format.", required=True, metavar="FILE")
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
    from newsdesk.rankers.neural import comment_vectors
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


@click.command("fit")
@option(
    "-m",
    "--model",
    "Name or spec of a ranker; `newsdesk list rankers` has the names.",
    default="argument",
    metavar="MODEL",
)
@preset_option("rank fit", specs="model")
@input_file(
    "--train", "Training threads; with --campaign the judged threads, for their articles and likes."
)
@option("--campaign", "Fit on the judgments of this campaign.", metavar="NAME")
@options.store("The store of --campaign.")
@input_file("--dev", "Dev threads, on which settings are chosen.")
@option("--target", "Value to predict; default: score.", type=click.Choice(["score", "likes"]))
@flag(
    "--position-bias",
    "With --target likes: correct likes for the position at which comments were shown.",
)
@options.length
@options.folder("Folder for the model.")
@options.force
@reads_threads
def fit_command(
    model: str,
    train: str | None,
    campaign: str | None,
    url: str,
    dev: str | None,
    target: str | None,
    length: float | None,
    out: str,
    *,
    files: ThreadFiles,
    position_bias: bool,
    force: bool,
) -> None:
    """Fit a ranker on threads with scores or likes, or on the judgments of a campaign.

    \b
    Example:
      newsdesk rank fit --train train.jsonl -o model/
      newsdesk rank fit --model ranksvm --train train.jsonl --dev dev.jsonl -o ranksvm/
    """
    if not train and not campaign:
        raise click.UsageError("name threads with --train, or a --campaign")
    if position_bias and (target != "likes" or campaign):
        raise click.UsageError("--position-bias is for --target likes, on the threads of --train")
    from newsdesk.cli.progress import drawn, library_warnings
    from newsdesk.model import check_free
    from newsdesk.rankers.ranker import ranker

    settings = {"target": target, "length": length}
    unfitted = ranker(
        model, **{name: value for name, value in settings.items() if value is not None}
    )
    check_free(out, overwrite=force)
    threads = list(files.read(train)) if train else []
    if campaign:
        from newsdesk import campaigns

        with campaigns.Store.open(url, create=False) as store:
            threads = campaigns.gains(store, campaign, threads)
    tuned = list(files.read(dev)) if dev else None
    if position_bias:
        from newsdesk.rankers.ordering import PositionBias

        bias = PositionBias.of(threads)
        click.echo(f"position bias: a place k is seen with probability k^-{bias.power}", err=True)
        threads = [bias.corrected(thread) for thread in threads]
        tuned = [bias.corrected(thread) for thread in tuned] if tuned else tuned
    with library_warnings(), drawn() as progress:
        fitted = unfitted.fit(threads, tuned, progress)
    seen = (thread.article for thread in [*threads, *(tuned or ())])
    fitted.save(out, articles=seen, overwrite=force)
    click.echo(fitted.summary, err=True)
