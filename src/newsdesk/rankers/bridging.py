"""Rank comments by what opposed groups of voters both value, where it is known who voted (bridging).

Votes come from a table (comment, voter, vote; perhaps article and text) or from the judgments of a campaign of votes. The groups and the score, group-informed consensus, are those of
`newsdesk.stats.opinions`: a comment that every group tends to agree with stands above one that a large group loves and another rejects.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from newsdesk import records
from newsdesk.arrays import Floats, best_first
from newsdesk.errors import ArgumentError, DataError
from newsdesk.files import InputFile, atomic
from newsdesk.rankers.ranked_files import safe
from newsdesk.records.tables import spreadsheet_rows
from newsdesk.signatures import sha256_of, signature
from newsdesk.stats.opinions import (
    LEAST_VOTES,
    OpinionGroups,
    agreement,
    consensus,
    consensus_ends,
    counted,
    opinion_groups,
    representative,
)
from newsdesk.types import Judgment, Ranked
from newsdesk.wording import listed, plural

Key = tuple[str, str]  # ids of article and comment

# The columns of a table of votes, and other names they go by; Polis exports comment-id and voter-id.
_COLUMNS = {
    "article": ("article", "article_id", "item", "thread", "thread_id"),
    "comment": ("comment", "comment_id", "comment-id", "statement", "statement_id", "target"),
    "voter": ("voter", "voter_id", "voter-id", "participant_id", "annotator", "user", "user_id"),
    "vote": ("vote", "value"),
    "text": ("text", "comment_text", "comment-body"),
}
_WORDS = {
    **dict.fromkeys(("1", "+1", "1.0", "yes", "true", "agree", "up", "like"), 1.0),
    **dict.fromkeys(("-1", "-1.0", "no", "false", "disagree", "down", "dislike"), -1.0),
    **dict.fromkeys(("0", "0.0", "pass", "skip", "unsure"), 0.0),
}
_ZEROS = frozenset(("0", "0.0"))
_MOST_CELLS = 50_000_000
FEW_VOTERS, FEW_VOTES = 15, 3
_LISTED = 3  # comments that a group stands for, and comments that divide
_CLEAR = 1.2816  # z of the test that a group stands for a comment: 90 %, one-sided, as Polis has it
_GAP = 0.3  # difference between two groups' probabilities that divides them


@dataclass(frozen=True, slots=True, eq=False)
class VoteMatrix:
    """Who voted how on which comment: voters × comments of 1, -1, 0 (pass) and nan (no vote)."""

    voters: tuple[str, ...]
    comments: tuple[Key, ...]
    votes: Floats
    texts: Mapping[Key, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        votes: Iterable[tuple[Key, str, float]],
        texts: Mapping[Key, str] | None = None,
        notes: Sequence[str] = (),
    ) -> VoteMatrix:
        """Collect votes (comment, voter, vote); a later vote corrects an earlier one."""
        cells = {(voter, comment): vote for comment, voter, vote in votes}
        # Voters in the order of their names: nothing drawn depends on the order of the file.
        voters = sorted({voter for voter, _ in cells})
        comments = list(dict.fromkeys(comment for _, comment in cells))
        if not cells:
            raise ArgumentError("there is no vote to rank by")
        if len(voters) * len(comments) > _MOST_CELLS:
            size = f"{plural(len(voters), 'voter')} and {plural(len(comments), 'comment')}"
            raise ArgumentError(f"{size} are too many for one table; split the votes by article")
        row_of = {voter: row for row, voter in enumerate(voters)}
        column_of = {comment: column for column, comment in enumerate(comments)}
        matrix = np.full((len(voters), len(comments)), np.nan)
        for (voter, comment), vote in cells.items():
            matrix[row_of[voter], column_of[comment]] = vote
        return cls(tuple(voters), tuple(comments), matrix, texts or {}, tuple(notes))


@dataclass(frozen=True, slots=True)
class BridgedComment:
    """A comment at its rank within its article: consensus with interval, and what each group says."""

    article: str
    comment: str
    rank: int
    score: float
    ci: tuple[float, float]
    share: float  # of all votes that agree, whoever cast them
    groups: tuple[float, ...]  # the probability that each group agrees
    agreed: tuple[int, ...]
    voted: tuple[int, ...]
    text: str = ""

    @property
    def gap(self) -> float:
        """The largest difference between two groups' probabilities."""
        return max(self.groups) - min(self.groups)


@dataclass(frozen=True, slots=True)
class DescribedGroup:
    """A group of voters: how many there are, and the comments it agrees with more than the others do."""

    group: int
    voters: int
    stands_for: tuple[BridgedComment, ...]


@dataclass(frozen=True, slots=True)
class Bridging:
    """Comments ranked by group-informed consensus, the groups, and what to know before one trusts them."""

    comments: tuple[BridgedComment, ...]  # article by article, best first
    groups: tuple[DescribedGroup, ...]
    dividing: tuple[BridgedComment, ...]
    p: float
    silhouette: float | None
    verdict: str
    notes: tuple[str, ...]
    signature: str

    def run(self) -> Iterator[Ranked]:
        """Yield the ranking as lines of a run."""
        for one in self.comments:
            yield Ranked(one.article, one.comment, one.score, one.rank)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "verdict": self.verdict,
            "p": self.p,
            "silhouette": self.silhouette,
            "groups": [
                {
                    "group": group.group,
                    "voters": group.voters,
                    "stands_for": [_named(one) for one in group.stands_for],
                }
                for group in self.groups
            ],
            "dividing": [{**_named(one), "groups": one.groups} for one in self.dividing],
            "notes": list(self.notes),
            "comments": [{**asdict(one), "signature": self.signature} for one in self.comments],
        }


def _named(one: BridgedComment) -> dict[str, str]:
    return {"article": one.article, "comment": one.comment, "text": one.text}


def bridge(matrix: VoteMatrix, *, seed: int = 0) -> Bridging:
    """Rank comments by what all groups of voters agree with."""
    groups = opinion_groups(matrix.votes, seed=seed)
    agreed, voted = counted(matrix.votes, groups)
    probabilities = agreement(agreed, voted)  # groups × comments
    scores = consensus(agreed, voted)
    low, high = consensus_ends(agreed, voted, seed=seed)
    cast = ~np.isnan(matrix.votes)
    shares = (matrix.votes == 1).sum(axis=0) / cast.sum(axis=0)
    rank_of = _ranks(matrix.comments, scores)
    comments = [
        BridgedComment(
            *key,
            rank=rank_of[column],
            score=float(scores[column]),
            ci=(float(low[column]), float(high[column])),
            share=float(shares[column]),
            groups=tuple(probabilities[:, column].tolist()),
            agreed=tuple(agreed[:, column].tolist()),
            voted=tuple(voted[:, column].tolist()),
            text=matrix.texts.get(key, ""),
        )
        for column, key in enumerate(matrix.comments)
    ]
    articles = list(dict.fromkeys(article for article, _ in matrix.comments))
    number_of = {article: number for number, article in enumerate(articles)}
    fields = {"votes": _digest(matrix), "groups": groups.count, "least-votes": LEAST_VOTES}
    return Bridging(
        comments=tuple(sorted(comments, key=lambda one: (number_of[one.article], one.rank))),
        groups=_described(groups, comments, representative(agreed, voted)),
        dividing=_dividing(comments),
        p=groups.p,
        silhouette=groups.silhouette,
        verdict=_verdict(groups),
        notes=(*matrix.notes, *_cautions(groups, cast, comments)),
        signature=signature("rank-bridge", {**fields, "seed": seed}),
    )


def _ranks(keys: Sequence[Key], scores: Floats) -> dict[int, int]:
    """Return the rank from 1 of each column within its article."""
    columns_of: dict[str, list[int]] = {}
    for column, (article, _) in enumerate(keys):
        columns_of.setdefault(article, []).append(column)
    return {
        columns[index]: rank
        for columns in columns_of.values()
        for rank, index in enumerate(best_first(scores[columns]).tolist(), 1)
    }


def _described(
    groups: OpinionGroups, comments: Sequence[BridgedComment], z: Floats
) -> tuple[DescribedGroup, ...]:
    """Return the groups with the comments that each agrees with clearly more than the others."""
    described = []
    for group in range(groups.count):
        order = np.argsort(-z[group], kind="stable")[:_LISTED].tolist() if groups.count > 1 else []
        stands_for = tuple(
            comments[column]
            for column in order
            if z[group, column] > _CLEAR and comments[column].groups[group] > 0.5
        )
        size = int((groups.of_voter == group).sum())
        described.append(DescribedGroup(group + 1, size, stands_for))
    return tuple(described)


def _dividing(comments: Sequence[BridgedComment]) -> tuple[BridgedComment, ...]:
    """Return the comments on which two groups differ most, if they differ much."""
    divided = [one for one in comments if one.gap >= _GAP]
    return tuple(sorted(divided, key=lambda one: -one.gap)[:_LISTED])


def _verdict(groups: OpinionGroups) -> str:
    if groups.count > 1:
        sizes = np.bincount(groups.of_voter[groups.of_voter >= 0]).tolist()
        return f"{groups.count} opposed groups of {listed([f'{size:,}' for size in sizes], 5)} voters (p = {groups.p:.2g}, silhouette {groups.silhouette:.2f})"
    return f"no opposed groups found: popular comments and ready voters explain the votes (p = {groups.p:.2g}); comments are ranked by the agreement of all voters"


def _cautions(
    groups: OpinionGroups, cast: Floats, comments: Sequence[BridgedComment]
) -> Iterator[str]:
    """Yield what makes the groups or the ranking weak."""
    least = min(LEAST_VOTES, cast.shape[1])
    grouped = int((cast.sum(axis=1) >= least).sum())
    if grouped < FEW_VOTERS:
        yield f"only {plural(grouped, 'voter')} cast {least} votes or more: with fewer than {FEW_VOTERS} such voters a group is a handful of people, and may be chance"
    if groups.count > 1 and grouped < len(cast):
        few = plural(len(cast) - grouped, "voter")
        yield f"{few} cast fewer than {least} votes: in no group, and not counted"
    thin = sum(min(one.voted) < FEW_VOTES for one in comments)
    if thin:
        whom = "a group" if groups.count > 1 else "anybody"
        yield f"{thin:,} of {plural(len(comments), 'comment')} had fewer than {FEW_VOTES} votes from {whom}: their scores are mostly the prior of ½"


def _digest(matrix: VoteMatrix) -> str:
    text = "\n".join((*matrix.voters, *map("\t".join, matrix.comments)))
    return sha256_of(
        text.encode() + np.nan_to_num(matrix.votes, nan=9).astype(np.int8).tobytes(), 8
    )


def read_votes(path: str) -> VoteMatrix:
    """Read votes from a table (.csv, .tsv) or from the judgments of a campaign (any other name)."""
    if {".csv", ".tsv"} & set(Path(path).suffixes):
        return _table_votes(path)
    return judgment_votes(records.read(path, Judgment), path)


def judgment_votes(judgments: Iterable[Judgment], file: str = "judgments") -> VoteMatrix:
    """Collect the votes of a campaign: 1 or true agrees, 0 or false disagrees.

    Answers withdrawn and control questions do not count.
    """
    votes: list[tuple[Key, str, float]] = []
    questions: set[str] = set()
    for row in judgments:
        if row.withdrawn or row.control:
            continue
        if isinstance(row.value, str) or row.value not in (0, 1):
            raise DataError(
                f"{row.annotator} gave {row.target!r} the value {row.value!r}, which is no vote; take a campaign of votes, or a table of votes",
                file=file,
            )
        questions.add(row.question)
        votes.append(((row.item, row.target), row.annotator, 1.0 if row.value else -1.0))
    if len(questions) > 1:
        several = listed(sorted(questions))
        raise DataError(f"the votes answer several questions ({several}); keep one", file=file)
    return VoteMatrix.of(votes)


def _table_votes(path: str) -> VoteMatrix:
    """Read a table of votes: a row per vote."""
    columns = {name: key for key, names in _COLUMNS.items() for name in names}
    votes: list[tuple[Key, str, str]] = []
    texts: dict[Key, str] = {}
    for line, row in spreadsheet_rows(InputFile(path), path, columns):
        cells = {columns[name]: cell.strip() for name, cell in row.items() if name in columns}
        if missing := [name for name in ("comment", "voter", "vote") if name not in cells]:
            has = ", ".join(row)
            raise DataError(
                f"there is no column {missing[0]!r} (columns: {has}); name the columns comment, voter and vote",
                file=path,
                line=line,
            )
        if not cells["vote"]:
            continue
        word = cells["vote"].lower()
        if word not in _WORDS or not cells["comment"] or not cells["voter"]:
            raise DataError(
                f"vote {cells['vote']!r} of {cells['voter']!r} on {cells['comment']!r} is no vote; write yes, no or pass (1, -1, 0) with a comment and a voter",
                file=path,
                line=line,
            )
        key = (cells.get("article") or Path(path).name.partition(".")[0], cells["comment"])
        votes.append((key, cells["voter"], word))
        if cells.get("text"):
            texts[key] = cells["text"]
    # 0 is a no beside 1 alone, and a pass where -1 stands for no.
    words = {word for _, _, word in votes}
    means_no = bool(words & _ZEROS) and not any(_WORDS[word] < 0 for word in words)
    notes = ["no vote is -1 or no: 0 is read as no, not as a pass"] if means_no else []
    numbers = (
        (key, voter, -1.0 if means_no and word in _ZEROS else _WORDS[word])
        for key, voter, word in votes
    )
    return VoteMatrix.of(numbers, texts, notes)


def write_bridging(path: str, result: Bridging, *, overwrite: bool = False) -> int:
    """Write the ranking as a table (.csv) or as a run (.jsonl, .trec), and return how many comments."""
    if not path.removesuffix(".gz").endswith(".csv"):
        return records.write(path, result.run(), overwrite=overwrite)
    with atomic(path, overwrite=overwrite) as stream:
        text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        writer = csv.writer(text)
        of_groups = [f"group {group.group}" for group in result.groups]
        writer.writerow(
            ["article", "rank", "comment", "score", "low", "high", "share", *of_groups, "text"]
        )
        for one in result.comments:
            numbers = (one.score, *one.ci, one.share, *one.groups)
            cells = (safe(one.article), one.rank, safe(one.comment))
            writer.writerow([*cells, *(f"{number:.6f}" for number in numbers), safe(one.text)])
        text.detach()
    return len(result.comments)
