"""Assign tasks to annotators, and fix order and letters for each: pure functions of the seed and the campaign's secret.

Every task goes to k of n annotators. Loads differ by at most one, and every two annotators meet about equally often, so that agreement
is measured over all pairs alike: Qin et al. (2018) gave each comment to two of five graders. Annotators are chosen greedily, the least
loaded first and among them who met the others least; exchanges between tasks then even out the meetings. For k = 2 all pairs end within one
meeting of each other, for a larger k within a few: an exact design (a balanced incomplete block design) exists only for some k and n.
Control questions are spread first, so that everybody gets as many of them, give or take one.

Each annotator has an order of tasks of their own, and in each task an order of targets of their own, which fixes the letters A, B, …
Both orders sort by a keyed hash, HMAC-SHA256 with the campaign's secret. The seed alone, which reports show, tells nobody a letter, and
no number of known letters tells the next one, as the state of an ordinary generator of random numbers would. Who gets which task is drawn
with a key as well: annotators who compare their tasks would learn from the seed which of those they share are controls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from newsdesk.campaigns.keys import derived_key, keyed
from newsdesk.campaigns.tasks import Task
from newsdesk.errors import ArgumentError
from newsdesk.streams import stream
from newsdesk.wording import plural

# Exchanges tried at most (no design of up to 30 annotators has needed more), and candidate tasks searched for each.
_EXCHANGES = 200
_CANDIDATES = 200
_LATER = (
    2**24
)  # positions of slots that are added later, in an order of their own: a tie would be broken by the input's

Draw: TypeAlias = Callable[..., bytes]  # what is to be ordered → a digest to order it by


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one annotator at one task; unassigned where `annotator` is None.

    `number` counts the slots of a task, `position` is the task's place in the annotator's order, and `order` holds target ids in the
    order shown: the first is A.
    """

    task: str
    number: int
    annotator: str | None
    position: int
    order: tuple[str, ...]

    @property
    def shown(self) -> dict[str, str]:
        """The letter under which each target is shown, in order of letters."""
        return {target: letter(place) for place, target in enumerate(self.order)}


def letter(place: int) -> str:
    """Return the letter of a 0-based place, named like spreadsheet columns.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'AA')
    """
    name = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def same_as_shown(task: Task, order: Sequence[str]) -> dict[str, str]:
    """Map each target whose text is already shown under an earlier letter to the target of that letter."""
    originals = task.same_as
    first: dict[str, str] = {}
    same: dict[str, str] = {}
    for target in order:
        seen = first.setdefault(originals.get(target, target), target)
        if seen != target:
            same[target] = seen
    return same


def assign(
    tasks: Sequence[Task],
    annotators: Sequence[str] | None,
    per_item: int,
    seed: int,
    *,
    secret: str,
) -> list[Slot]:
    """Return the slots of all tasks: `per_item` annotators each, or open slots if `annotators` is None."""
    _check(tasks, annotators, per_item)
    draw = _keyed(secret, seed)
    if annotators is None:
        positions = _open_positions(tasks, per_item, draw)
        holders: list[list[str | None]] = [[None] * per_item for _ in tasks]
    else:
        rng = stream("assign: annotators", int.from_bytes(draw("annotators")[:8]))
        chosen = _annotators_of(tasks, len(annotators), per_item, rng)
        holders = [[annotators[index] for index in block] for block in chosen]
        positions = _positions_of(tasks, chosen, annotators, draw)
    return [
        Slot(task.id, number, holder, position, _shuffled(task, number, draw))
        for task, names, task_positions in zip(tasks, holders, positions, strict=True)
        for number, (holder, position) in enumerate(zip(names, task_positions, strict=True))
    ]


def another_slot(task: Task, number: int, seed: int, *, secret: str) -> tuple[tuple[str, ...], int]:
    """Return the order of targets and the position for a slot that was added later: after all others."""
    draw = _keyed(secret, seed)
    place = int.from_bytes(draw("later", task.id, number)[:3])
    return _shuffled(task, number, draw), _LATER + place


def _keyed(secret: str, seed: int) -> Draw:
    """Return a function from any values to a digest that nobody can compute without the secret."""
    key = derived_key(secret, "blinding", str(seed))

    def digest(*parts: object) -> bytes:
        return keyed(key, repr(parts))

    return digest


def _check(tasks: Sequence[Task], annotators: Sequence[str] | None, per_item: int) -> None:
    """Refuse empty or repeated tasks, targets and annotators, and more annotators than there are."""
    if not tasks:
        raise ArgumentError("there are no tasks to assign")
    if per_item < 1:
        raise ArgumentError(f"per_item is {per_item}; every task needs at least one annotator")
    _check_distinct([task.id for task in tasks], "two tasks are called")
    for task in tasks:
        if not task.targets:
            raise ArgumentError(f"task {task.id!r} has nothing to judge")
        _check_distinct([target.id for target in task.targets], f"task {task.id!r} has two targets")
    if annotators is None:
        return
    _check_distinct(annotators, "two annotators are called")
    if per_item > len(annotators):
        raise ArgumentError(
            f"{plural(per_item, 'annotator')} per task, but there are only {len(annotators)}"
        )


def _check_distinct(names: Sequence[str], complaint: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ArgumentError(f"{complaint} {name!r}")
        seen.add(name)


def _shuffled(task: Task, number: int, draw: Draw) -> tuple[str, ...]:
    ids = [target.id for target in task.targets]
    if len(ids) > 1:
        ids.sort(key=lambda target: draw("target", task.id, number, target))
    return tuple(ids)


def _open_positions(tasks: Sequence[Task], per_item: int, draw: Draw) -> list[list[int]]:
    """Return all first slots before all second ones, so that an unfinished campaign covers tasks evenly."""
    positions: list[list[int]] = [[] for _ in tasks]
    for turn in range(per_item):
        order = sorted(range(len(tasks)), key=lambda task: draw("open", turn, tasks[task].id))
        for place, task in enumerate(order, turn * len(tasks) + 1):
            positions[task].append(place)
    return positions


def _positions_of(
    tasks: Sequence[Task], chosen: list[list[int]], annotators: Sequence[str], draw: Draw
) -> list[list[int]]:
    """Return the place of every task in the order of each of its annotators.

    `chosen` has the indices of each task's annotators.
    """
    tasks_of: list[list[int]] = [[] for _ in annotators]
    for task, block in enumerate(chosen):
        for annotator in block:
            tasks_of[annotator].append(task)
    place_of: dict[tuple[int, int], int] = {}
    for annotator, own_tasks in enumerate(tasks_of):
        own_tasks.sort(key=lambda task: draw("task", annotators[annotator], tasks[task].id))
        place_of |= {(annotator, task): place for place, task in enumerate(own_tasks, 1)}
    return [[place_of[annotator, task] for annotator in block] for task, block in enumerate(chosen)]


def _annotators_of(
    tasks: Sequence[Task], n: int, k: int, rng: np.random.Generator
) -> list[list[int]]:
    """Return k of n annotators for every task, as indices; controls are spread first."""
    # In an order of their own: dealt in a row, the tasks of an article are spread more evenly than its control, and their number tells it.
    mixed = rng.permutation(len(tasks)).tolist()
    controls = [place for place in mixed if tasks[place].control]
    others = [place for place in mixed if not tasks[place].control]
    blocks, met = _greedy(len(tasks), n, k, rng)
    if 1 < k < n:
        _even_out(blocks, met, len(controls), rng)
    chosen: list[list[int]] = [[] for _ in tasks]
    for place, block in zip(controls + others, blocks, strict=True):
        chosen[place] = block
    return chosen


def _greedy(
    count: int, n: int, k: int, rng: np.random.Generator
) -> tuple[list[list[int]], list[list[int]]]:
    """Return `count` blocks of k of n annotators, and how often each pair met (n × n).

    Loads differ by at most one after every block.
    """
    loads = np.zeros(n)
    met = np.zeros((n, n))
    blocks = []
    busier = float(k * count + 1)  # outweighs any number of meetings
    for _ in range(count):
        cost = (loads - loads.min()) * busier + rng.random(n)
        block: list[int] = []
        for _ in range(k):
            annotator = int(cost.argmin())
            cost += met[annotator]
            cost[annotator] = np.inf
            block.append(annotator)
        loads[block] += 1
        for annotator in block:
            met[annotator, block] += 1  # with oneself as well, which nobody reads
        blocks.append(block)
    return blocks, met.astype(int).tolist()


def _even_out(
    blocks: list[list[int]], met: list[list[int]], start: int, rng: np.random.Generator
) -> None:
    """Exchange annotators between blocks until all pairs meet about equally often; loads do not change.

    `blocks` and `met` are changed in place; blocks before `start` (controls) stay.
    """
    pairs = [(annotator, other) for annotator in range(len(met)) for other in range(annotator)]
    for _ in range(_EXCHANGES):
        most = max(met[annotator][other] for annotator, other in pairs)
        if most - min(met[annotator][other] for annotator, other in pairs) <= 1:
            return
        frequent = [
            (annotator, other) for annotator, other in pairs if met[annotator][other] == most
        ]
        annotator, other = frequent[int(rng.integers(len(frequent)))]
        together = [block for block in blocks[start:] if annotator in block and other in block]
        if not together:
            continue
        crowded = together[int(rng.integers(len(together)))]
        candidates = rng.integers(start, len(blocks), size=_CANDIDATES)
        offers = [
            (_gain(met, crowded, blocks[place], annotator, partner), place, partner)
            for place in dict.fromkeys(candidates.tolist())
            if annotator not in blocks[place]
            for partner in blocks[place]
            if partner not in crowded
        ]
        if not offers:
            continue
        gain, place, partner = min(offers)
        if gain <= 0:
            _exchange(met, crowded, blocks[place], annotator, partner)


def _gain(
    met: list[list[int]], block: list[int], other_block: list[int], annotator: int, partner: int
) -> int:
    """Return the change of the sum of squared meetings if two annotators change places.

    `annotator` is of `block`, `partner` of `other_block`.
    """
    met_partner, met_annotator = met[partner], met[annotator]
    stay = sum(
        met_partner[colleague] - met_annotator[colleague] + 1
        for colleague in block
        if colleague != annotator and colleague not in other_block
    )
    return stay + sum(
        met_annotator[colleague] - met_partner[colleague] + 1
        for colleague in other_block
        if colleague != partner and colleague not in block
    )


def _exchange(
    met: list[list[int]],
    block_of_annotator: list[int],
    block_of_partner: list[int],
    annotator: int,
    partner: int,
) -> None:
    """Let `annotator` and `partner` change places, and update how often pairs met."""
    for block, leaves, comes in (
        (block_of_annotator, annotator, partner),
        (block_of_partner, partner, annotator),
    ):
        for colleague in block:
            if colleague != leaves:
                met[leaves][colleague] -= 1
                met[colleague][leaves] -= 1
                met[comes][colleague] += 1
                met[colleague][comes] += 1
        block[block.index(leaves)] = comes
