"""Which argument lists a claims file may run: verbs of newsdesk that compute and write into the working folder, with relative paths alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from newsdesk.errors import ArgumentError

# Noun or plain verb → its verbs. What serves, reaches the network, starts other programs or runs claims is not here.
ALLOWED: dict[str, tuple[str, ...]] = {
    "campaign": ("new", "import", "status", "report", "weights", "gains", "pairs", "judgments"),
    "comment": ("fit", "suggest", "compare"),
    "corpus": ("events", "align", "dedup", "split", "truncate", "stats", "comments"),
    "rank": ("fit", "apply", "eval", "compare", "explain", "game", "audit"),
    "records": ("check", "convert"),
    "score": (),
    "simulate": (),
    "study": ("table5", "tune", "lengths", "curve", "correlate", "compare", "plan", "next"),
    "summarize": (),
}  # fmt: skip
# A path that leaves the folder, alone or as a part of an argument: --out=/x, tsr(model='../x'), sqlite:////x.
_ABSOLUTE = re.compile(r"""(?:^|[=,'"(:;\s])[/~\\]""")
_UPWARDS = re.compile(r"""(?:^|[/\\=,'"(:;\s])\.\.(?:$|[/\\,'"):;\s])""")


def check_arguments(words: Sequence[str]) -> None:
    """Raise ArgumentError unless these are arguments of a command that a claims file may run."""
    noun, verb = words[0], words[1] if len(words) > 1 else ""
    if noun not in ALLOWED:
        raise ArgumentError(f"a claims file may not run {noun!r}; it may run {', '.join(ALLOWED)}")
    if ALLOWED[noun] and verb not in ALLOWED[noun]:
        raise ArgumentError(
            f"a claims file may not run {f'{noun} {verb}'!r}; of {noun} it may run {', '.join(ALLOWED[noun])}"
        )
    for word in words:
        if "\0" in word or _ABSOLUTE.search(word) or _UPWARDS.search(word) or "://" in word:
            raise ArgumentError(
                f"the argument {word!r} leaves the folder of the claims; name files as data, {{NAME}}"
            )
