"""Every long command that writes files, killed just before it changes the disk, and run again.

    python -m tests.attacks.killing KILLS [COMMAND]…

A process is killed (SIGKILL) at a chosen one of its changes of files below its folder: opening to write, renaming, removing, making folders. These are
the only moments that differ for what is on the disk. The same command line is then run again, with --force if it is refused because one of several outputs is
complete already, and must end with the bytes of an undisturbed run and nothing beside them. Prints one JSON object a command.

Commands run in forks of this process, which has imported what they share; changes by worker processes are not counted as moments.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from newsdesk.cli.main import main
from tests.cli.forks import LIBRARIES

# In {world} lie the inputs, made once; {out} is a folder that is empty before each undisturbed run.
COMMANDS: dict[str, str] = {
    "corpus events": "corpus events {world}/pages -o {out}/events.jsonl",
    "corpus articles": "corpus articles {world}/crawl --engine inline -o {out}/articles",
    "corpus dedup of a file": "corpus dedup {world}/articles.jsonl --groups {out}/groups.jsonl -o {out}/unique.jsonl",
    "corpus dedup of a folder": "corpus dedup {world}/articles -o {out}/unique",
    "corpus align": "corpus align {world}/events.jsonl {world}/articles -o {out}/clusters.jsonl --fit {out}/aligner --report {out}/report.json",
    "corpus split": "corpus split {world}/clusters.jsonl -o {out}/parts",
    "corpus truncate": "corpus truncate {world}/clusters.jsonl --name x -o {out}/variants",
    "corpus fill": "corpus fill {world}/clusters.jsonl {world}/articles.jsonl -o {out}/filled.jsonl",
    "corpus comments": "corpus comments {world}/threads.jsonl --preset plain -o {out}/comments",
    "corpus stats": "corpus stats {world}/clusters.jsonl -o {out}/stats.html",
    "corpus build": "corpus build {world}/corpus.toml --engine inline -o {out}/corpus",
    "corpus release": "corpus release {world}/corpus --name x -o {out}/release",
    "corpus rebuild": "corpus rebuild {world}/release {world}/crawl --engine inline -o {out}/again",
    "corpus forget": "corpus forget {world}/corpus --domain example.org -o {out}/forgotten",
    "rank fit": "rank fit --model ranksvm(cost=0.1) --train {world}/threads.jsonl -o {out}/model",
    "rank fit again": "rank fit --model svr(cost=0.1) --train {world}/threads.jsonl -o {world}/over --force",
    "rank vectors": "rank vectors {world}/threads.jsonl --dimensions 8 --epochs 1 -o {out}/vectors.txt",
    "rank apply": "rank apply {world}/model {world}/threads.jsonl -o {out}/run.jsonl",
    "rank compare": "rank compare {world}/threads.jsonl --models length,like --folds 2 -o {out}/runs",
    "comment fit": "comment fit --model ir-t --train {world}/threads.jsonl -o {out}/model",
    "comment suggest": "comment suggest {world}/commenter {world}/articles.jsonl --at 2031-03-05T09:30:00Z -o {out}/suggestions.jsonl",
    "comment compare": "comment compare --train {world}/learned.jsonl --test {world}/tested.jsonl --models ir-t,ir-tc --samples 20 -o {out}/compared",
    "summarize": "summarize {world}/clusters.jsonl --method centroid -o {out}/out.jsonl",
    "summarize --fit": "summarize {world}/clusters.jsonl --method tsr(encoder='lsa',penalty=1.0) --fit {out}/model",
    "score": "score {world}/outputs.jsonl --references {world}/clusters.jsonl --metrics rouge-1 --item-scores {out}/items.jsonl --json -o {out}/scores.json",
    "simulate": "simulate --events 4 --comments 40 --seed 7 -o {out}/world",
    "campaign sheets": "campaign sheets pilot --store sqlite:///{world}/store.db -o {out}/sheets",
    "campaign judgments": "campaign judgments pilot --store sqlite:///{world}/store.db -o {out}/judgments.jsonl",
    "campaign report": "campaign report pilot --store sqlite:///{world}/store.db -o {out}/pilot.html",
    "study lengths": "study lengths {world}/clusters.jsonl --words 20,30 -o {out}/lengths.json",
    "study tune": "study tune {world}/clusters.jsonl --method submodular --sample 2 -o {out}/tuned.json",
    "study curve": "study curve {world}/clusters.jsonl --method centroid --added 0,2 -o {out}/curve.json",
    "study table5": "study table5 {world}/clusters.jsonl --methods centroid,random-lead -o {out}/table5.html",
    "study report": "study report {world}/scores.json -o {out}/report.html",
    "records convert": "records convert {world}/articles.jsonl -o {out}/articles.parquet",
    "serve backup": "serve backup {out}/desk.tar --data {world}/desk",
    "serve restore": "serve restore {world}/desk.tar --data {out}/desk",
    "demo": "demo --out {out}/demo",
}  # fmt: skip
_CHANGES = (
    *("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate"),
    *("os.link", "os.symlink", "os.chmod"),
)
# Secrets and what is keyed by them, and caches of the times of files: other bytes in every run.
_DIFFERENT = (
    "forgotten.json",
    "forgotten.key",
    ".pem",
    ".pub",
    "newsdesk.db",
    "digests.json",
    "suggestions.jsonl",
    ".xlsx",
)
_COSTLY = {"comment compare": 4, "demo": 4}  # seconds a run: a share of the kills
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code (-9 if killed), its number of changes of files, and its messages."""

    code: int
    changes: int
    said: str


@dataclass(slots=True)
class Killed:
    """What came of one command: its changes, kills, and afterwards what was complete, had to be forced, or was wrong."""

    changes: int = 0
    kills: int = 0
    complete: int = 0
    forced: int = 0
    wrong: list[str] = field(default_factory=list)


def attempt(words: Sequence[str], folder: Path, *, kill_at: int | None = None) -> Ended:
    """Run a command in a fork; kill it just before its change number `kill_at` below the folder, counted from 0."""
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            _run(words, folder, kill_at, writing, said.fileno())
        os.close(writing)
        _, status = os.waitpid(child, 0)
        said.seek(0)
        message = said.read().decode("utf-8", "replace")
    with os.fdopen(reading) as stream:
        changes = int(stream.read() or -1)
    return Ended(os.waitstatus_to_exitcode(status), changes, message)


def _run(words: Sequence[str], folder: Path, kill_at: int | None, tell: int, said: int) -> None:
    """Run the command in this process, which ends here."""
    code, changes, root = 1, 0, str(folder)

    def hook(event: str, arguments: Sequence[Any]) -> None:
        nonlocal changes
        writes = event == "open" and bool((arguments[2] or 0) & _WRITING)
        if not (writes or event in _CHANGES) or isinstance(arguments[0], int):
            return
        path = os.fsdecode(arguments[0])
        if path.startswith("/") and not path.startswith(root):
            return
        if changes == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        changes += 1

    try:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        os.dup2(said, 2)
        os.chdir(folder)
        sys.addaudithook(hook)
        code = main(list(words))
    finally:
        sys.stderr.flush()
        os.write(tell, str(changes).encode())
        os._exit(code)


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder below a folder, hidden ones too, with the bytes of files, unless these are random or times."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        if path.is_file() and not path.name.endswith(_DIFFERENT)
        else None
        for path in sorted(folder.rglob("*"))
    }


def kill_often(words: Sequence[str], root: Path, out: Path, kills: int) -> Killed:
    """Kill a command at moments spread over its changes, and compare what running it again leaves."""
    killed = Killed()
    _empty(out)
    calm = attempt(words, root)
    if calm.code not in (0, 3):
        killed.wrong.append(f"undisturbed, it ended with {calm.code}: {calm.said.strip()[-300:]}")
        return killed
    expected, killed.changes = tree(out), calm.changes
    for number in range(min(kills, calm.changes)):
        moment = number * calm.changes // min(kills, calm.changes)
        _empty(out)
        if attempt(words, root, kill_at=moment).code != -signal.SIGKILL:
            killed.wrong.append(f"it ended before its change {moment}")
            continue
        killed.kills += 1
        again = attempt(words, root)
        if again.code == 1 and "--force" in again.said and tree(out) == expected:
            killed.complete += 1  # it was killed after its work, and says so
            continue
        if again.code == 1 and "--force" in again.said:
            killed.forced += 1
            again = attempt([*words, "--force"], root)
        left = tree(out)
        differ = sorted(k for k in left.keys() | expected.keys() if left.get(k, 0) != expected.get(k, 0))  # fmt: skip
        if again.code != calm.code or differ:
            last = again.said.strip().splitlines()[-1:] or [""]
            killed.wrong.append(f"after change {moment}: exit code {again.code}, {differ[:5]} differ, {last[0][:200]}")  # fmt: skip
    return killed


def _empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()


def write_world(folder: Path) -> None:
    """Write what the commands read: the sample newsroom in every form, a corpus, models and a campaign."""
    from newsdesk import samples
    from newsdesk.records import write
    from newsdesk.types import Article
    from tests.corpus.build.newsroom import write_newsroom

    settings = write_newsroom(folder)
    settings.rename(folder / "corpus.toml")
    clusters, threads = samples.clusters(), samples.threads("en")
    articles = {article.id: article for cluster in clusters for article in cluster.articles}
    plain = [Article(a.id, a.text, a.title, url=a.url, date=a.date) for a in articles.values()]
    for name, rows in (
        ("threads", threads), ("learned", threads[:8]), ("tested", threads[8:]), ("clusters", clusters), ("events", samples.events()),
        ("outputs", samples.outputs()), ("articles", plain),
    ):  # fmt: skip
        write(folder / f"{name}.jsonl", rows)
    made = (
        "corpus articles {world}/crawl --engine inline -o {world}/articles",
        "corpus build {world}/corpus.toml --engine inline -o {world}/corpus",
        "corpus release {world}/corpus --name x -o {world}/release",
        "rank fit --model svr(cost=0.1) --train {world}/threads.jsonl -o {world}/model",
        "comment fit --model ir-t --train {world}/threads.jsonl -o {world}/commenter",
        "score {world}/outputs.jsonl --references {world}/clusters.jsonl --metrics rouge-1 --json -o {world}/scores.json",
        "campaign new pilot {world}/outputs.jsonl --protocol rank --references {world}/clusters.jsonl --annotators 2 --store sqlite:///{world}/store.db",
        "campaign new pilot --protocol constructive --threads {world}/threads.jsonl --annotators 2 --store sqlite:///{world}/desk/campaigns/newsdesk.db",
        "serve backup {world}/desk.tar --data {world}/desk",
        "comment suggest {world}/commenter {world}/articles.jsonl -o {world}/suggested.jsonl",
    )  # fmt: skip
    (folder / "desk/campaigns").mkdir(parents=True)
    for line in made:
        done = attempt(line.format(world=folder).split(), folder)
        assert done.code in (0, 3), (line, done.said)


def run(kills: int, names: Sequence[str] = ()) -> Iterator[tuple[str, Killed]]:
    """Yield what came of each command, or of those named."""
    for module in LIBRARIES:
        importlib.import_module(module)
    with tempfile.TemporaryDirectory(prefix="newsdesk-kills-") as name:
        root = Path(name).resolve()
        os.environ["XDG_DATA_HOME"] = str(root / "home")  # of the key that seals suggestions
        world, out = root / "world", root / "out"
        write_world(world)
        for command in names or COMMANDS:
            target = world / "over" if "/over" in COMMANDS[command] else out
            words = COMMANDS[command].format(world=world, out=out).split()
            fewer = kills // _COSTLY.get(command, 1)
            yield command, kill_often(words, root, target, max(fewer, 1))


if __name__ == "__main__":
    for name, result in run(int(sys.argv[1]), sys.argv[2:]):
        print(json.dumps({"command": name, **asdict(result)}), flush=True)
