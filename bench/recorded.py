"""The output of the command line, recorded: a change of structure must leave every byte of it as it was.

The commands of bench/recorded.toml run in order, each in a process of its own, in one temporary folder that begins with the files of the sample newsroom
(`sample_files`); a later command reads what an earlier one wrote. Of each its exit code, stdout, stderr and every file that it wrote, changed
or removed are recorded. Only the command line and `newsdesk.samples` are used, so modules may move.

    python -m bench.recorded                    compare with the digests in bench/recorded.json, name the commands that differ
    python -m bench.recorded --update           write those digests anew
    python -m bench.recorded --write FOLDER     keep the outputs themselves, a folder for each command
    python -m bench.recorded --compare FOLDER   compare with such a folder, show what differs

What two runs of the same code cannot agree on, or a release must change, is masked, and nothing else:
- the version of newsdesk, where one is written (signatures, manifests, models, cached runs, --version): VERSION;
- a moment between the start of the run and now, which `campaign import` and `exclude` take from the clock: MOMENT. Any other date is compared;
- the path of the temporary folder: FOLDER;
- the bytes of SQLite stores (`*.db*`), which are left out: `campaign status`, `judgments --history` and `report` show what is in them;
- the compression of workbooks: the files inside an .xlsx are compared, each for itself.
The secret that a new campaign draws is not masked but fixed, by replacing `secrets.token_bytes` in the process of the command: so letters, orders
and keyed hashes of annotators are compared too. PYTHONHASHSEED is left random: an order that depends on it would show.

The digests hold for the versions in constraints.txt; another BLAS or torch may round otherwise. Record and compare on one machine.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import hashlib
import io
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from newsdesk import samples
from newsdesk.languages import LISTED

DIGESTS = Path(__file__).with_suffix(".json")
LAUNCH = (
    "import runpy, secrets; secrets.token_bytes = lambda size=None: bytes(size or 32); "
    "runpy.run_module('newsdesk', run_name='__main__')"
)
INHERITED = ("PATH", "HOME", "VIRTUAL_ENV", "TMPDIR", "XDG_CACHE_HOME", "MPLCONFIGDIR")
FIXED = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "COLUMNS": "80",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
TIMEOUT_S = 600
SHOWN_LINES = 20

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
INPUTS: Mapping[str, str] = _TABLE["inputs"]
COMMANDS: Mapping[str, str] = _TABLE["commands"]

Parts = dict[str, bytes]  # of one command: exit, stdout, stderr, files/NAME, removed → content


@dataclass(frozen=True, slots=True)
class Mask:
    """Replaces what cannot be the same in two runs or two releases; the module says what and why."""

    version: str
    folder: str
    started: datetime

    def __call__(self, content: bytes) -> bytes:
        """The content with its masks; bytes that are no text stay as they are."""
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            return content
        before = r'(newsdesk[: ]|"(?:newsdesk|version)": ?"|"digest": ?")'
        text = re.sub(rf"{before}{re.escape(self.version)}(?![\w.])", r"\1VERSION", text)
        text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", self._moment, text)
        return text.replace(self.folder, "FOLDER").encode("utf-8")

    def _moment(self, match: re.Match[str]) -> str:
        moment = datetime.fromisoformat(match[0])
        # A moment is written in whole seconds, so it may lie a little before the start.
        now = self.started - timedelta(seconds=1) <= moment <= datetime.now(UTC)
        return "MOMENT" if now else match[0]


def sample_files(folder: Path) -> None:
    """The sample newsroom as files, its threads and clusters also in two halves, and the odd inputs."""
    (folder / "sample").mkdir()
    (folder / "odd").mkdir()
    names = ["clusters", "events", "outputs", "controls", "ranks"]
    for name in [*names, *(f"threads-{lang}" for lang in LISTED)]:
        content = samples.path(f"{name}.jsonl").read_bytes()
        (folder / "sample" / f"{name}.jsonl").write_bytes(content)
    for whole, name in (("threads-en", "threads"), ("clusters", "clusters")):
        lines = samples.path(f"{whole}.jsonl").read_bytes().splitlines(keepends=True)
        for half in (0, 1):
            (folder / "sample" / f"{name}-{half + 1}.jsonl").write_bytes(b"".join(lines[half::2]))
    for name, text in INPUTS.items():
        (folder / name).write_text(text, "utf-8")


def answer(column: str, row: int) -> str | None:
    """What somebody writes into a column of a sheet; None where it is no column for answers."""
    question, _, letter = column.partition(" ")
    if letter in ("A", "B", "C", "D"):
        return str(1 + ("ABCD".index(letter) + row * (question != "overall")) % 3)
    answers = {
        "grade": ("1", "2", "3", "4", "5", "6"),  # nobody can give a 6: such a row is rejected
        "constructive": ("yes", "no", "", "x"),
        "relate": ("on-topic", "related", "unrelated"),
    }
    return answers[column][row * 7 % len(answers[column])] if column in answers else None


def fill_csv(path: Path) -> None:
    """Answer every row of a CSV sheet."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = csv.reader(stream)
    for number, row in enumerate(rows, sum(path.stem.encode())):
        for place, column in enumerate(header):
            row[place] = answer(column, number) or row[place]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])


def fill_workbook(path: Path) -> None:
    """Answer every row of a workbook."""
    import openpyxl

    book = openpyxl.load_workbook(path)
    header, *rows = book["Answers"].iter_rows()
    for number, row in enumerate(rows):
        for name, cell in zip(header, row, strict=True):
            value = answer(str(name.value), number)
            if value is not None:
                cell.value = int(value)
    book.save(path)


def fill_sheets(folder: Path) -> None:
    """Answer the CSV sheets of a campaign, and ben's workbook."""
    for path in sorted(folder.glob("*.csv")):
        fill_csv(path)
    for path in folder.glob("ben.xlsx"):
        fill_workbook(path)


# What people do before a command, in the folder named.
BEFORE: Mapping[str, tuple[Callable[[Path], None], str]] = {
    "campaign-rank-import": (fill_sheets, "sheets/pilot"),
    "campaign-grade-import": (fill_sheets, "sheets/comments"),
    "campaign-votes-import": (fill_sheets, "sheets/votes"),
    "campaign-relate-import": (fill_sheets, "sheets/found"),
}


def state(folder: Path) -> dict[str, tuple[int, int, int]]:
    """What tells whether a file was touched, of every file but those of SQLite."""
    stats = {
        str(path.relative_to(folder)): path.stat()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".db" not in path.name
    }
    return {name: (stat.st_ino, stat.st_mtime_ns, stat.st_size) for name, stat in stats.items()}


def contents(path: Path) -> Iterator[tuple[str, bytes]]:
    """The content of a file; of a workbook, that of every file inside."""
    if path.suffix != ".xlsx":
        yield "", path.read_bytes()
        return
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        for part in archive.namelist():
            yield f"/{part}", archive.read(part)


def environment() -> dict[str, str]:
    """The variables that a command sees; the package is found where this process finds it."""
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    absolute = os.pathsep.join(str(Path(path).absolute()) for path in paths if path)
    return {**inherited, **FIXED, "PYTHONPATH": absolute}


def run(line: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run one command line in the folder."""
    words = shlex.split(line)
    stdin = b""
    if "<" in words:
        stdin = (folder / words.pop()).read_bytes()
        words.remove("<")
    return subprocess.run(
        [sys.executable, "-P", "-c", LAUNCH, *words],
        cwd=folder,
        env=environment(),
        input=stdin,
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def record(name: str, folder: Path, mask: Mask) -> Parts:
    """Run one command of the table and return all that it brought, masked."""
    if name in BEFORE:
        act, place = BEFORE[name]
        act(folder / place)
    before = state(folder)
    done = run(COMMANDS[name], folder)
    after = state(folder)
    parts = {"exit": b"%d\n" % done.returncode, "stdout": done.stdout, "stderr": done.stderr}
    for file in after:
        if before.get(file) != after[file]:
            parts |= {f"files/{file}{part}": each for part, each in contents(folder / file)}
    if removed := sorted(before.keys() - after.keys()):
        parts["removed"] = "".join(f"{file}\n" for file in removed).encode()
    return {part: mask(content) for part, content in parts.items()}


def record_all() -> dict[str, Parts]:
    """Every command of the table in order."""
    with tempfile.TemporaryDirectory(prefix="recorded-") as place:
        folder = Path(place).resolve()
        sample_files(folder)
        version = run("--version", folder).stdout.decode().split()[-1]
        mask = Mask(version, str(folder), datetime.now(UTC))
        return {name: record(name, folder, mask) for name in COMMANDS}


def digest(parts: Parts) -> str:
    """The sha256 over names and contents."""
    sums = [f"{part} {hashlib.sha256(parts[part]).hexdigest()}\n" for part in sorted(parts)]
    return hashlib.sha256("".join(sums).encode()).hexdigest()


def write(recorded: Mapping[str, Parts], folder: Path) -> None:
    """Keep the outputs, a folder for each command."""
    for name, parts in recorded.items():
        for part, content in parts.items():
            path = folder / name / part
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def read(folder: Path) -> dict[str, Parts]:
    """The outputs that `write` kept."""
    recorded: dict[str, Parts] = {}
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        name, _, part = path.relative_to(folder).as_posix().partition("/")
        recorded.setdefault(name, {})[part] = path.read_bytes()
    return recorded


def difference(title: str, old: bytes, new: bytes) -> str:
    """The first lines of a unified diff; lines are cut at commas and tags too, so that long ones show where they differ."""
    try:
        before, now = (re.split(r"\n|(?<=[,>|]) ?", each.decode("utf-8")) for each in (old, new))
    except UnicodeDecodeError:
        return f"--- {title}: binary, {len(old):,} bytes before, {len(new):,} now"
    lines = difflib.unified_diff(before, now, f"{title} before", f"{title} now", lineterm="", n=1)
    return "\n".join(itertools.islice(lines, SHOWN_LINES))


def compare(recorded: Mapping[str, Parts], folder: Path) -> int:
    """Show what differs from the outputs in a folder."""
    baseline = read(folder)
    faults = 0
    for name in {**baseline, **recorded}:
        old, new = baseline.get(name, {}), recorded.get(name, {})
        for part in sorted(old.keys() | new.keys()):
            if old.get(part) != new.get(part):
                faults += 1
                print(difference(f"{name}/{part}", old.get(part, b""), new.get(part, b"")))
                if part not in old or part not in new:
                    print(f"    (only {'before' if part in old else 'now'})")
    return report(recorded, f"{faults} files differ from {folder}" if faults else "")


def compare_digests(recorded: Mapping[str, Parts]) -> int:
    """Name the commands whose digest is not the committed one."""
    baseline = json.loads(DIGESTS.read_text("utf-8")) if DIGESTS.exists() else {}
    now = {name: digest(parts) for name, parts in recorded.items()}
    different = [name for name in {**baseline, **now} if baseline.get(name) != now.get(name)]
    for name in different:
        print(f"differs: {name}: newsdesk {COMMANDS.get(name, '(no longer in the table)')}")
    return report(
        recorded, f"{len(different)} commands differ from {DIGESTS.name}" * bool(different)
    )


def report(recorded: Mapping[str, Parts], fault: str) -> int:
    """Print how it ended; 1 when something differs."""
    files = sum(map(len, recorded.values()))
    print(fault or f"{len(recorded)} commands, {files} files: the same")
    return 1 if fault else 0


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.recorded", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="keep the outputs")
    parser.add_argument("--update", action="store_true", help="write the digests anew")
    parser.add_argument("--compare", type=Path, metavar="FOLDER", help="compare with kept outputs")
    options = parser.parse_args(arguments)
    if options.write and options.write.exists():
        raise SystemExit(f"{options.write}: exists already; name a new folder")
    if options.compare and not options.compare.is_dir():
        raise SystemExit(f"{options.compare}: no such folder; make it with --write")
    recorded = record_all()
    if options.write:
        write(recorded, options.write)
    if options.update:
        digests = {name: digest(parts) for name, parts in recorded.items()}
        DIGESTS.write_text(json.dumps(digests, indent=1) + "\n", "utf-8")
    if options.compare:
        return compare(recorded, options.compare)
    if options.write or options.update:
        print(f"{len(recorded)} commands, {sum(map(len, recorded.values()))} files: recorded")
        return 0
    return compare_digests(recorded)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
