"""Control questions: put them where nobody can tell them from the rest, and make them from the data.

In Fujita et al. (2019) every task includes a control question, and only workers who answered it rightly are kept. So a control sits inside each
task of several targets, as one more target under the task's own title, and the order of the slot puts it at a random place. Where a task is
one target, a control is a task of its own with the context of a task of its article, so that title, link and article are there as with any other. Answers are known as:

- a value of the form (`true`, `"unrelated"`, 3), or for scales a range (`answer` to `up_to`);
- for rankings `last`: no other output of the task has a worse rank.

`made_controls` writes one for each task from the texts of other items: to a form of votes a patchwork of two comments of other articles,
which is about neither; to scales and rankings a text of garbled words; to labels the text of another item, which is unrelated. Garbled and
patched texts have the white space, punctuation, capitals and number of words of a text that is judged, and nearly its length, so that their shape says nothing. What remains is arithmetic: of a bundle that is
small because its thread ended, a control is a larger share.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from newsdesk.campaigns.protocols import Protocol
from newsdesk.campaigns.tasks import LAST, Answer, Target, Task
from newsdesk.errors import ArgumentError, DataError
from newsdesk.settings import at_least
from newsdesk.streams import stream
from newsdesk.types import ControlQuestion

# Drafts of a control, of which the one nearest in length to its model is taken.
_DRAFTS = 6
# A word, or one character of a script that is written without spaces.
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)


def known_answer(question: ControlQuestion, form: Protocol, name: str = "control") -> Answer:
    """Return the known answer of a control question; one that nobody could give is a DataError."""
    if form.kind == "rank":
        if question.answer != LAST or question.up_to is not None:
            raise DataError(
                f"an answer that nobody could give: {question.answer!r} is not {LAST!r}, which controls of rankings have"
            )
        return LAST
    if form.kind in ("spans", "best-worst"):
        return _known_choice(question, form)
    ends = [question.answer]
    if question.up_to is not None:
        ends.append(
            int(question.up_to) if question.up_to == int(question.up_to) else question.up_to
        )
    for end in ends:
        if faults := form.faults([name], {(name, each.name): end for each in form.questions}):
            raise DataError(f"an answer that nobody could give: {faults[0]}")
    if len(ends) == 1:
        return question.answer
    low, high = ends
    if form.kind not in ("scale", "slider") or not float(low) <= float(high):
        raise DataError(f"an answer that nobody could give: from {low} to {high}")
    return float(low), float(high)


def _known_choice(question: ControlQuestion, form: Protocol) -> Answer:
    """Return the known answer where one text is chosen as the worst; of passages there is none."""
    if form.kind == "spans":
        raise DataError("passages have no control questions: nobody knows them beforehand")
    if question.answer != "worst" or question.up_to is not None:
        raise DataError(
            f"an answer that nobody could give: {question.answer!r} is not 'worst', which controls of best-worst scaling have"
        )
    return question.answer


def _single(form: Protocol, tasks: Sequence[Task]) -> bool:
    """Return True if every task has one text, so that controls are tasks of their own."""
    alone = form.kind in ("scale", "label", "slider") or form.unit == "text"
    return alone and all(len(task.targets) == 1 for task in tasks)


def with_controls(
    tasks: Sequence[Task],
    controls: Sequence[tuple[str, ControlQuestion]],
    form: Protocol,
    *,
    seed: int,
    apart: bool = False,
) -> list[Task]:
    """Return the tasks with named control questions.

    One in every task of several targets, else as tasks spread among the others.

    `apart` makes them tasks of their own in any case, as judgments collected elsewhere may need it.
    """
    if not controls:
        return list(tasks)
    targets = {
        name: (question, Target(name, question.text, known_answer(question, form, name)))
        for name, question in controls
    }
    if apart or _single(form, tasks):
        return _among(tasks, targets, seed)
    if form.paired:
        return _among_pairs(tasks, targets)
    # A control about an article that is not judged fits into no task.
    items = {None, *(task.item for task in tasks)}
    foreign = {
        name: (question, target)
        for name, (question, target) in targets.items()
        if question.article not in items
    }
    inside = {name: targets[name] for name in targets if name not in foreign}
    bundles = list(_inside(tasks, inside, seed)) if inside else list(tasks)
    return _among(bundles, foreign, seed) if foreign else bundles


def _among_pairs(
    tasks: Sequence[Task], targets: dict[str, tuple[ControlQuestion, Target]]
) -> list[Task]:
    """Return the pairs, and for each control a pair of its own with a text of its item, or of the next in turn."""
    mixed = list(tasks)
    for number, (name, (question, target)) in enumerate(targets.items()):
        same = [task for task in tasks if task.item == question.article] or tasks
        model = same[number % len(same)]
        beside = model.targets[number % 2]
        mixed.append(
            replace(model, id=f"{model.item}|{beside.id}|{name}", targets=(beside, target))
        )
    return mixed


def _inside(
    tasks: Sequence[Task], targets: dict[str, tuple[ControlQuestion, Target]], seed: int
) -> Iterator[Task]:
    """Yield each task with a control about its article, or about none, the least used so far."""
    rng = stream("controls inside tasks", seed)
    for_item: dict[str | None, list[str]] = defaultdict(list)
    for name, (question, _) in targets.items():
        for_item[question.article].append(name)
    uses: Counter[str] = Counter()
    for task in tasks:
        fitting = [*for_item.get(task.item, ()), *for_item.get(None, ())]
        if not fitting:
            yield task
            continue
        rng.shuffle(fitting)
        chosen = min(fitting, key=lambda name: uses[name])
        uses[chosen] += 1
        _, control = targets[chosen]
        yield replace(task, targets=(*task.targets, control))


def _among(
    tasks: Sequence[Task], targets: dict[str, tuple[ControlQuestion, Target]], seed: int
) -> list[Task]:
    """Return the tasks with control questions as tasks of their own, spread evenly among them."""
    rng = stream("control questions", seed)
    of_item = {task.item: task for task in reversed(tasks)}
    mixed = list(tasks)
    spacing = max(1, len(tasks) // len(targets))
    for number, (name, (question, target)) in enumerate(targets.items()):
        place = number * (spacing + 1) + int(rng.integers(spacing + 1))
        model = _about(question, of_item, tasks, rng)
        control = Task(name, question.article or name, (target,))
        if question.title is not None:
            label = next((label for label, _ in tasks[0].context), "title")
            control = replace(control, context=((label, question.title),))
        elif model is not None:
            control = replace(
                model, id=name, item=question.article or model.item, targets=(target,)
            )
        mixed.insert(min(place, len(mixed)), control)
    return mixed


def _about(
    question: ControlQuestion,
    of_item: dict[str, Task],
    tasks: Sequence[Task],
    rng: np.random.Generator,
) -> Task | None:
    """Return the task whose context a control shows: one of its article, or of any if it names none."""
    if question.article is None:
        return tasks[int(rng.integers(len(tasks)))]
    return of_item.get(question.article)


def recognisable(tasks: Sequence[Task]) -> list[str]:
    """Return why an annotator could tell control questions from the rest by their look; empty if not."""
    controls = [task for task in tasks if task.control]
    others = [task for task in tasks if not task.control]
    inside = [task for task in controls if len(task.targets) > 1]
    reasons = []
    if others and any(len(task.targets) > 1 for task in others):
        pairs = all(
            len(task.targets) == 2 for task in tasks
        )  # of which a control is one like others
        if inside and not pairs:
            reasons.append(f"{len(others)} of {len(tasks)} tasks have no control question")
        if len(inside) < len(controls):
            reasons.append(
                f"{len(controls) - len(inside)} stand alone among tasks of several texts"
            )
    looks = {_look(task) for task in others}
    if looks and (odd := sum(_look(task) not in looks for task in controls if task not in inside)):
        reasons.append(f"{odd} have another title, link or article than any task")
    per_item = Counter(task.item for task in others)
    alone = [task for task in controls if task not in inside and per_item[task.item] == 1]
    single = all(len(task.targets) == 1 for task in others)
    if alone and single and 2 * sum(count > 1 for count in per_item.values()) <= len(per_item):
        reasons.append(f"{len(alone)} repeat a title that is otherwise there once")
    uses = Counter(
        target.id for task in controls for target in task.targets if target.answer is not None
    )
    if repeated := sum(count > 1 for count in uses.values()):
        reasons.append(f"{repeated} are shown in several tasks")
    return reasons


def _look(task: Task) -> tuple[tuple[str, ...], bool]:
    return tuple(label for label, _ in task.context), bool(task.article)


def made_controls(
    form: Protocol,
    tasks: Sequence[Task],
    *,
    every: int | None = None,
    unused: Sequence[Task] = (),
    seed: int = 0,
) -> list[ControlQuestion]:
    """Return control questions from texts of other items: one a task, or about one in five single targets.

    Of single targets every item has as many, where all items have as many tasks. `every` changes how many tasks there are to a control. Unrelated texts of labels are taken from `unused` tasks, such as those outside a sample, as
    long as there are any: nobody then sees the same text twice.
    """
    if form.kind == "spans" or (form.kind == "select" and len(form.questions) > 1):
        raise ArgumentError(
            f"controls for the protocol {form.name!r} cannot be made from texts: nobody knows their answers; write them by hand"
        )
    single = _single(form, tasks)
    tasks_per_control = every if every is not None else 5 if single else 1
    at_least("every", tasks_per_control, 1)
    texts: dict[str, list[str]] = defaultdict(list)
    for task in tasks:
        texts[task.item] += [target.text for target in task.targets if target.text.strip()]
    if len(texts) < 2:
        raise ArgumentError(
            "controls are made from the texts of other items, and there is one item"
        )
    rng = stream("made controls", seed)
    exact = every is None and single
    runs = _equal_runs(tasks, tasks_per_control) if exact else _runs(tasks, tasks_per_control)
    places = [run[int(rng.integers(len(run)))] for run in runs]
    if form.kind == "label":
        return _unrelated(form, [tasks[place] for place in places], tasks, unused, rng)
    return [_reworded_control(form, tasks[place].item, texts, rng) for place in places]


def _runs(tasks: Sequence[Task], size: int) -> list[Sequence[int]]:
    """Return runs of the places of tasks, so that an article has controls in proportion to its tasks."""
    starts = range(0, max(1, len(tasks) - size + 1), size)
    return [range(start, min(start + size, len(tasks))) for start in starts]


def _equal_runs(tasks: Sequence[Task], size: int) -> list[Sequence[int]]:
    """Return runs of about a size, as many in each item where all items have as many tasks.

    An item with one text more than the others would have the control among them.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for place, task in enumerate(tasks):
        places[task.item].append(place)
    counts = {len(of_item) for of_item in places.values()}
    if len(counts) > 1 or counts == {1}:
        return _runs(tasks, size)
    parts = max(1, round(counts.pop() / size))
    return [run.tolist() for of_item in places.values() for run in np.array_split(of_item, parts)]


def _unrelated(
    form: Protocol,
    about: Sequence[Task],
    tasks: Sequence[Task],
    unused: Sequence[Task],
    rng: np.random.Generator,
) -> list[ControlQuestion]:
    """Return texts of other items, under the context of an unused task as long as there are any.

    There is one for each task of `about`.
    """
    known = {task.id for task in tasks}
    fresh = [each for each in unused if each.id not in known]
    contexts = [fresh[place] for place in rng.permutation(len(fresh))]
    pool = [fresh[place] for place in rng.permutation(len(fresh))]
    pool += [tasks[place] for place in rng.permutation(len(tasks))]
    exchanged = [] if fresh else _exchanged(about)
    questions = []
    for number, task in enumerate(about):
        shown = contexts[number] if number < len(contexts) else task
        if exchanged:
            other = exchanged[number]
        else:
            other = next(each for each in pool if each.item != shown.item)
            pool.remove(other)
            pool.append(other)  # used again when all others were
        title = next((text for _, text in shown.context), None) if shown is not task else None
        questions.append(
            ControlQuestion(
                other.targets[0].text,
                str(form.values[-1]),
                article=shown.item,
                title=title,
                why="of another item",
            )
        )
    return questions


def _exchanged(tasks: Sequence[Task]) -> list[Task]:
    """Return for each task one of another item, each once; empty if that is impossible.

    So large items lend no fewer texts than they have.
    """
    order = sorted(range(len(tasks)), key=lambda number: tasks[number].item)
    # In the order of items, so many places further on stands a task of another item.
    shift = max(Counter(task.item for task in tasks).values())
    if 2 * shift > len(tasks):
        return []
    lenders = {order[place]: order[(place + shift) % len(order)] for place in range(len(order))}
    return [tasks[lenders[number]] for number in range(len(tasks))]


def _reworded_control(
    form: Protocol, item: str, texts: dict[str, list[str]], rng: np.random.Generator
) -> ControlQuestion:
    """Return a control of the size of a text of this item, in words of other items."""
    others = [each for each in texts if each != item and texts[each]]
    own = texts[item] or texts[others[0]]
    shape = own[int(rng.integers(len(own)))]
    pools = [texts[each] for each in others]
    garbled = form.kind != "select"
    drafts = [_reworded(shape, _words(shape, pools, rng, garbled=garbled)) for _ in range(_DRAFTS)]
    text = min(drafts, key=lambda draft: abs(len(draft) - len(shape)))
    if not garbled:
        return ControlQuestion(text, answer=False, article=item, why="pieces about other articles")
    if form.kind == "rank":
        return ControlQuestion(text, LAST, article=item, why="garbled")
    if form.kind == "best-worst":
        return ControlQuestion(text, "worst", article=item, why="garbled")
    low, high = form.values[:2]
    return ControlQuestion(text, low, article=item, up_to=float(high), why="garbled")


def _words(
    shape: str, pools: Sequence[Sequence[str]], rng: np.random.Generator, *, garbled: bool
) -> list[str]:
    """Return as many words as a text has, from pieces of at least two other texts; shuffled if garbled."""
    size = len(_WORD.findall(shape))
    words: list[str] = []
    while len(words) < size + 1:
        pool = pools[int(rng.integers(len(pools)))]
        drawn = _WORD.findall(pool[int(rng.integers(len(pool)))]) or ["…"]
        piece = min(max(1, size // 2), len(drawn))
        start = int(rng.integers(len(drawn) - piece + 1))
        words += drawn[start : start + piece]
    if garbled:
        rng.shuffle(words)
    return words


def _reworded(shape: str, words: Sequence[str]) -> str:
    """Return the text with other words: white space, punctuation and capitals stay where they are.

    >>> _reworded("No. The bus, they said, is late!", ["five", "Years", "to", "build", "one", "stop", "here"])
    'Five. Years to, build one, stop here!'
    """
    count = iter(range(len(shape)))
    return _WORD.sub(lambda old: _capitals_of(old[0], words[next(count) % len(words)]), shape)


def _capitals_of(shape: str, word: str) -> str:
    if shape.isupper() and len(shape) > 1:
        return word.upper()
    return word.capitalize() if shape[0].isupper() else word.lower()
