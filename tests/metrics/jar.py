"""What the METEOR 1.5 jar says, the one that pycocoevalcap ships; tests that need it skip without Java.

In its `-stdio` mode the jar answers `SCORE ||| reference ||| … ||| candidate` with a line of statistics, those of the best reference, and
`EVAL ||| statistics ||| …` with a score for each and one for all.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.metrics.generated import Item

EXACT_STEM = ("-l", "en", "-m", "exact stem")
NORM = (*EXACT_STEM, "-norm")
SYNONYMS = ("-l", "en", "-m", "exact stem synonym")
ADEQUACY = (*EXACT_STEM, "-t", "adq")
UNIVERSAL = ("-l", "other", "-t", "universal", "-m", "exact")
INDEPENDENT = ("-l", "other", "-m", "exact")


def jar_path() -> Path:
    spec = importlib.util.find_spec("pycocoevalcap")
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places or not shutil.which("java"):
        pytest.skip("the METEOR jar needs Java and pycocoevalcap on this machine")
    return Path(places[0]) / "meteor" / "meteor-1.5.jar"


def statistics(items: Sequence[Item], options: Sequence[str]) -> list[str]:
    """The jar's line of statistics for each item."""
    # Java's split drops empty fields at the end: a space keeps an empty candidate in place.
    lines = (" ||| ".join(["SCORE", *item.references, item.candidate + " "]) for item in items)
    return _answers(lines_of(lines), options)


def scores(items: Sequence[Item], options: Sequence[str]) -> tuple[list[float], float]:
    """The score of each item, and of all of them."""
    scores = _answers([" ||| ".join(["EVAL", *statistics(items, options)])], options)
    return [float(each) for each in scores[:-1]], float(scores[-1])


def coco_scores(items: Sequence[Item]) -> list[float]:
    """The scores as pycocoevalcap asks for them, item by item, but of ready tokens and with exact and stem stages only."""
    jar_path()
    from pycocoevalcap.meteor import meteor

    def started(command: list[str], **settings: Any) -> subprocess.Popen[bytes]:
        ready = [each for each in command if each != "-norm"]
        return subprocess.Popen([*ready, "-m", "exact stem"], **settings)

    with mock.patch.object(meteor, "subprocess", mock.Mock(Popen=started, PIPE=subprocess.PIPE)):
        peer = meteor.Meteor()
    references = {n: list(item.references) for n, item in enumerate(items)}
    _, scores = peer.compute_score(references, {n: [i.candidate] for n, i in enumerate(items)})
    peer.meteor_p.communicate()
    return [float(each) for each in scores]


def lines_of(texts: Iterable[str]) -> list[str]:
    return [text.replace("\n", " ") for text in texts]


def _answers(lines: Sequence[str], options: Sequence[str]) -> list[str]:
    path = jar_path()
    start = ["java", "-Xmx1G", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-jar", str(path)]
    done = subprocess.run(
        [*start, "-", "-", "-stdio", *options],
        input="".join(f"{line}\n" for line in lines),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd=path.parent,
        check=True,
    )
    return done.stdout.splitlines()
