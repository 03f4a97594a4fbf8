"""Check claims: each number is reproduced, drifted by some difference, or not obtainable, with the reason."""

from __future__ import annotations

import contextlib
import math
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from newsdesk.errors import ArgumentError
from newsdesk.files import make_folder
from newsdesk.studies.claims.claim import Claim, ClaimsFile, Number, Place
from newsdesk.studies.claims.result import Answer, CheckedNumber
from newsdesk.studies.claims.runner import NotObtainableError, Runner
from newsdesk.work.progress import OnProgress, counting, silent

_ROUNDING = 1e-9  # a claim of three decimals is a binary fraction only nearly


def check_claims(
    claims: ClaimsFile,
    *,
    only: str = "",
    data_folder: str | os.PathLike[str] | None = None,
    places: Mapping[str, str] | None = None,
    simulated: bool = False,
    work: str | os.PathLike[str] | None = None,
    timeout_s: float = 600.0,
    progress: OnProgress = silent,
) -> list[CheckedNumber]:
    """Run what the claims name and compare; `only` takes claims whose id begins so.

    Commands run in `work`, else in a temporary folder that is removed; they read copies of the data, which lies in `data_folder`, else beside the
    file, unless `places` names a file for it. With `simulated` the claims of the paper run on simulated files, where there are such.
    """
    chosen = [claim for claim in claims.claims if claim.id.startswith(only)]
    finished = counting(progress, len(chosen))
    with _folder(work) as folder:
        runner = Runner(
            claims,
            work=folder,
            data_folder=Path(data_folder) if data_folder else None,
            places=places or {},
            simulated=simulated,
            timeout_s=timeout_s,
        )
        checked = []
        for claim in chosen:
            checked += [_checked(runner, claim, number) for number in claim.numbers]
            finished(claim.id)
    return checked


@contextlib.contextmanager
def _folder(work: str | os.PathLike[str] | None) -> Iterator[Path]:
    """Yield the folder `work`, or a temporary one that is removed at the end."""
    if work is not None:
        yield make_folder(work).resolve()
        return
    with tempfile.TemporaryDirectory(prefix="newsdesk-claims-") as folder:
        yield Path(folder).resolve()


def _checked(runner: Runner, claim: Claim, number: Number) -> CheckedNumber:
    """Run what the claim names for this number, and compare."""
    command, reason, obtained = "", claim.reason, None
    hashes: dict[str, str] = {}  # of the data that was read, by name
    expected = not claim.obtainable  # the claims file itself says that it cannot be obtained
    stands_in = any(runner.stands_in(runner.claims.data[name]) for name in claim.data)
    if claim.obtainable:
        names = {**claim.names, **(claim.simulated_names if stands_in else {})}
        filling = {
            "row": names.get(number.row, number.row),
            "column": names.get(number.column, number.column),
        }
        words = claim.simulated_run if stands_in else claim.run
        run = [_fill(word, filling) for word in words]
        command = shlex.join(["newsdesk", *run])
        try:
            content, hashes = runner.result(run)
            obtained, reason = claim.scale * _value(content, claim.at, filling), ""
        except NotObtainableError as error:
            reason, expected, hashes = str(error), error.expected, {}
    answer: Answer = "not obtainable"
    if obtained is not None:
        same = abs(obtained - number.value) <= number.tolerance + _ROUNDING
        answer = "reproduced" if same else "drifted"
        # Nobody claims that simulated data has the paper's values.
        expected = stands_in
    return CheckedNumber(
        paper=runner.claims.paper,
        id=claim.id,
        where=claim.where,
        what=claim.what,
        row=number.row,
        column=number.column,
        claimed=number.value,
        obtained=obtained,
        drift=None if obtained is None else obtained - number.value,
        tolerance=number.tolerance,
        answer=answer,
        reason=reason,
        simulated=claim.simulated or stands_in,
        counterpart=claim.counterpart,
        command=command,
        data=hashes,
        fails=answer != "reproduced" and not expected,
    )


def _fill(text: str, filling: Mapping[str, str]) -> str:
    for name, value in filling.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _value(content: Any, at: Place, filling: Mapping[str, str]) -> float:
    """Return the number at a place of a JSON value.

    A part of `at` is a key, an index, or pairs of key and value that choose the one row of a list that has them. `filling` is
    what stands for `{row}` and `{column}`.
    """
    for part in at:
        if isinstance(part, tuple):
            wanted = {
                key: _fill(value, filling) if isinstance(value, str) else value
                for key, value in part
            }
            content = _row(content, wanted)
            continue
        step: str | int = _fill(part, filling) if isinstance(part, str) else part
        try:
            content = content[step]
        except (KeyError, IndexError, TypeError):
            raise NotObtainableError(f"the result has no {step!r}") from None
    if isinstance(content, bool) or not isinstance(content, int | float):
        raise NotObtainableError(f"the result has {content!r} where a number is claimed")
    if not math.isfinite(content):
        raise NotObtainableError(f"the result is {content}")
    return float(content)


def _row(content: Any, wanted: Mapping[str, object]) -> Any:
    """Return the one row of a list that has the wanted values, by key."""
    rows = content if isinstance(content, list) else []
    matching = [
        row
        for row in rows
        if isinstance(row, dict)
        and all(_matches(row.get(key), value) for key, value in wanted.items())
    ]
    if len(matching) != 1:
        chosen = ", ".join(f"{key} = {value!r}" for key, value in wanted.items())
        raise NotObtainableError(f"the result has {len(matching)} rows with {chosen}, not one")
    return matching[0]


def _matches(value: object, wanted: object) -> bool:
    """Return True if a value is the wanted one; `(*)` in it stands for the settings of a spec, or none.

    >>> _matches("svr(cost=2)/deep", "svr(*)/deep"), _matches("svr/deep", "svr(*)/deep")
    (True, True)
    """
    if not isinstance(wanted, str) or not isinstance(value, str) or "(*)" not in wanted:
        return value == wanted
    pattern = re.escape(wanted).replace(re.escape("(*)"), r"(\(.*\))?")
    return re.fullmatch(pattern, value) is not None


def check_places(places: Mapping[str, str], listed: list[ClaimsFile]) -> None:
    """Raise ArgumentError if a place is named for data that no claims file has, or does not exist.

    `places` maps the name of data, or of a folder of its path, to a file or folder of the user.
    """
    names = dict.fromkeys(
        name
        for claims in listed
        for data in claims.data.values()
        if data.source
        for name in (data.name, *PurePosixPath(data.path).parts[:-1])
    )
    for name, place in places.items():
        if name not in names:
            raise ArgumentError(
                f"the claims have no data {name!r} (named as {place!r}); they have {', '.join(names) or 'none'}"
            )
        if not Path(place).exists():
            raise ArgumentError(f"data {name!r}: there is no file or folder {place!r}")
