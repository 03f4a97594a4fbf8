"""Tasks: what one annotator sees at a time, created from threads, outputs or clusters; not blinded yet.

A task has a context (the article's title, the reference, …) and one or more targets to judge. Which annotator gets it, in which order and
under which letters, is decided by `assign`; what an answer may be, by the protocol.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TypeAlias

from newsdesk.errors import ArgumentError, DataError
from newsdesk.streams import stream
from newsdesk.text.sentences import sentences
from newsdesk.types import (
    Article,
    Cluster,
    Comment,
    Output,
    References,
    Thread,
    Value,
)
from newsdesk.wording import plural

_log = logging.getLogger(__name__)

_SENTENCES_OF_AN_ARTICLE = 3

LAST = "last"  # the known answer of a control in a ranking: no other output is worse
# Of a control question: a value, or the ends of a range.
Answer: TypeAlias = Value | tuple[float, float]

REAL = "real:"  # begins the target of a comment that a reader wrote, among those of systems


@dataclass(frozen=True, slots=True)
class Target:
    """One text to judge. `answer` is the known answer of a control question, None for all others."""

    id: str
    text: str
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """What one annotator sees at a time: the texts to judge, and labelled texts as context.

    `article` is the text of the item's article, to read beside the task. A store keeps it once per item (`Store.articles`) and does not repeat it
    with each task it reads.
    """

    id: str
    item: str
    targets: tuple[Target, ...]
    context: tuple[tuple[str, str], ...] = ()
    article: str = field(default="", compare=False)

    def with_article(self, text: str) -> Task:
        """Return the task with the text of its article."""
        return replace(self, article=text)

    @property
    def control(self) -> bool:
        """True if this is or holds a control question, whose answer is known."""
        return any(target.answer is not None for target in self.targets)

    @property
    def same_as(self) -> Mapping[str, str]:
        """Map each target that repeats the text of an earlier target to that target."""
        first: dict[str, str] = {}
        same: dict[str, str] = {}
        for target in self.targets:
            original = first.setdefault(target.text, target.id)
            if original != target.id:
                same[target.id] = original
        return same


def rank_tasks(
    outputs: Iterable[Output],
    references: Iterable[References],
    articles: Mapping[str, Article] | None = None,
) -> list[Task]:
    """Return one task per item: the outputs of all systems beside the reference.

    `articles` by item give a link and a text to read.
    """
    texts = _by_item(outputs)
    tasks = []
    for reference in references:
        if reference.id not in texts:
            continue
        article = (articles or {}).get(reference.id)
        url = reference.url or (article.url if article else None)
        context = [("url", url)] if url else []
        context += [("reference", each.text) for each in reference.references]
        targets = tuple(Target(system, text) for system, text in texts[reference.id].items())
        if not 2 <= len(targets) <= 8:
            raise ArgumentError(
                f"item {reference.id!r} has {plural(len(targets), 'output')}; ranking takes 2 to 8"
            )
        text = article.text if article else ""
        tasks.append(Task(reference.id, reference.id, targets, tuple(context), text))
    missing = texts.keys() - {task.item for task in tasks}
    if missing:
        raise ArgumentError(f"no references for item {min(missing)!r}")
    return tasks


def grade_comment_tasks(threads: Iterable[Thread]) -> list[Task]:
    """Return one task per comment, named by its id, or `{article}|{comment}` if articles share the id."""
    comments = [(thread.article, comment) for thread in threads for comment in thread.comments]
    uses = Counter(comment.id for _, comment in comments)
    return [
        Task(
            comment.id if uses[comment.id] == 1 else f"{article.id}|{comment.id}",
            article.id,
            (Target(comment.id, comment.text),),
            _article_context(article),
            article.text,
        )
        for article, comment in comments
    ]


def grade_output_tasks(
    outputs: Iterable[Output],
    articles: Iterable[Article],
    real: Iterable[Thread],
    references: Iterable[References],
    *,
    seed: int,
) -> list[Task]:
    """Return one task per article.

    One comment of every system and one real comment that is not a reference.

    An article without such a comment is left out with a warning.
    """
    texts = _by_item(outputs)
    reference_texts = {
        item.id: {reference.text for reference in item.references} for item in references
    }
    threads = {thread.article.id: thread for thread in real}
    rng = stream("grade outputs: real comments", seed)
    tasks, left_out = [], []
    for article in articles:
        if article.id not in texts:
            continue
        comments = threads[article.id].comments if article.id in threads else ()
        unseen = [
            comment
            for comment in comments
            if comment.text not in reference_texts.get(article.id, set())
        ]
        if not unseen:
            left_out.append(article.id)
            continue
        chosen: Comment = unseen[int(rng.integers(len(unseen)))]
        targets = [Target(system, text) for system, text in texts[article.id].items()]
        targets.append(Target(REAL + chosen.id, chosen.text))
        context = _article_context(article)
        tasks.append(Task(article.id, article.id, tuple(targets), context, article.text))
    if unknown := texts.keys() - {task.item for task in tasks} - set(left_out):
        raise ArgumentError(f"there is no article {min(unknown)!r} for the outputs about it")
    if left_out and not tasks:
        raise ArgumentError(f"article {left_out[0]!r} has no real comment that is not a reference")
    if left_out:
        _log.warning(
            "%s left out: no real comment that is not a reference, first %r",
            plural(len(left_out), "article"), left_out[0],
        )  # fmt: skip
    return tasks


def single_text_tasks(tasks: Iterable[Task]) -> list[Task]:
    """Return one task per target of the tasks, named `{article}|{target}`: outputs and real comments, seen alone."""
    return [
        replace(task, id=f"{task.item}|{target.id}", targets=(target,))
        for task in tasks
        for target in task.targets
    ]


def single_output_tasks(outputs: Iterable[Output], articles: Iterable[Article]) -> list[Task]:
    """Return one task per output, named `{article}|{system}`, for annotators who see one text at a time."""
    texts = _by_item(outputs)
    known = {article.id: article for article in articles}
    if unknown := texts.keys() - known.keys():
        raise ArgumentError(f"there is no article {min(unknown)!r} for the outputs about it")
    return [
        Task(
            f"{item}|{system}",
            item,
            (Target(system, text),),
            _article_context(known[item]),
            known[item].text,
        )
        for item, of_item in texts.items()
        for system, text in of_item.items()
    ]


def constructive_tasks(
    threads: Iterable[Thread], *, bundle: int, seed: int, in_order: bool = False
) -> list[Task]:
    """Return bundles of comments of one article, shuffled or in file order; the last may be smaller."""
    rng = stream("constructive bundles", seed)
    tasks = []
    for thread in threads:
        count = len(thread.comments)
        order = range(count) if in_order else rng.permutation(count).tolist()
        for number, start in enumerate(range(0, len(order), bundle), 1):
            chosen = [thread.comments[place] for place in order[start : start + bundle]]
            targets = tuple(Target(comment.id, comment.text) for comment in chosen)
            task = f"{thread.article.id}+{number}"
            article = thread.article
            tasks.append(Task(task, article.id, targets, _article_context(article), article.text))
    return tasks


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """The texts of one item to judge, and what is shown beside each of them."""

    id: str
    targets: tuple[Target, ...]
    context: tuple[tuple[str, str], ...] = ()
    article: str = ""


def items_of_outputs(
    outputs: Iterable[Output],
    references: Iterable[References] = (),
    articles: Iterable[Article] = (),
) -> list[JudgedItem]:
    """Return the outputs of each item, in order of first appearance; references and articles are optional."""
    reference_of = {item.id: item for item in references}
    article_of = {article.id: article for article in articles}
    items = []
    for item, texts in _by_item(outputs).items():
        article, reference = article_of.get(item), reference_of.get(item)
        context = list(_article_context(article)) if article else []
        if reference is not None:
            if reference.url and "url" not in dict(context):
                context.append(("url", reference.url))
            context += [("reference", each.text) for each in reference.references]
        targets = tuple(Target(system, text) for system, text in texts.items())
        items.append(JudgedItem(item, targets, tuple(context), article.text if article else ""))
    return items


def items_of_threads(threads: Iterable[Thread]) -> list[JudgedItem]:
    """Return the comments of each article."""
    return [
        JudgedItem(
            thread.article.id,
            tuple(Target(comment.id, comment.text) for comment in thread.comments),
            _article_context(thread.article),
            thread.article.text,
        )
        for thread in threads
    ]


def text_tasks(items: Iterable[JudgedItem]) -> list[Task]:
    """Return one task per text, named `{item}|{target}`."""
    return [
        Task(f"{item.id}|{target.id}", item.id, (target,), item.context, item.article)
        for item in items
        for target in item.targets
    ]


def pair_tasks(items: Iterable[JudgedItem]) -> list[Task]:
    """Return one task for every two texts of an item, named `{item}|{one}|{other}`."""
    return [
        Task(f"{item.id}|{one.id}|{other.id}", item.id, (one, other), item.context, item.article)
        for item in items
        for one, other in combinations(item.targets, 2)
    ]


def bundle_tasks(items: Iterable[JudgedItem], *, bundle: int, rounds: int, seed: int) -> list[Task]:
    """Return bundles of texts of one item, each text in `rounds` of them; of few texts all are one bundle.

    Each round deals the texts anew. A bundle that would be too small is filled up with texts of other bundles.
    """
    rng = stream("bundles of texts", seed)
    tasks = []
    for item in items:
        count = len(item.targets)
        orders = [rng.permutation(count).tolist() for _ in range(1 if count <= bundle else rounds)]
        dealt = [
            [*order[start : start + bundle], *order[: max(0, start + bundle - count)]]
            for order in orders
            for start in range(0, count, bundle)
        ]
        for number, places in enumerate(dealt, 1):
            targets = tuple(item.targets[place] for place in dict.fromkeys(places))
            task = f"{item.id}+{number}"
            tasks.append(Task(task, item.id, targets, item.context, item.article))
    return tasks


def relate_tasks(clusters: Iterable[Cluster], *, sample: int | None, seed: int) -> list[Task]:
    """Return one task per found (not cited) article: its opening beside the event's summary."""
    tasks = [
        Task(
            f"{cluster.id}|{article.id}",
            cluster.id,
            (Target(article.id, _opening(article)),),
            (("event", cluster.summary or ""),),
        )
        for cluster in clusters
        for article in cluster.articles
        if article.origin != "cited"
    ]
    return sampled(tasks, sample=sample, seed=seed, name="relate sample")


def sampled(
    tasks: list[Task], *, sample: int | None, seed: int, name: str = "sample of tasks"
) -> list[Task]:
    """Return a random sample of the tasks in their order, drawn from the stream of this name; None: all."""
    if sample is None or sample >= len(tasks):
        return tasks
    places = stream(name, seed).choice(len(tasks), sample, replace=False)
    return [tasks[place] for place in sorted(places)]


def texts_of(tasks: Iterable[Task]) -> dict[tuple[str, str], str]:
    """Return the text of every target, by (item, target)."""
    return {(task.item, target.id): target.text for task in tasks for target in task.targets}


def _by_item(outputs: Iterable[Output]) -> dict[str, dict[str, str]]:
    """Return the texts of outputs by item, then by system."""
    texts: dict[str, dict[str, str]] = {}
    for output in outputs:
        of_item = texts.setdefault(output.id, {})
        if output.system in of_item:
            raise DataError(f"system {output.system!r} answers item {output.id!r} twice")
        of_item[output.system] = output.text
    return texts


def _article_context(article: Article) -> tuple[tuple[str, str], ...]:
    """Return title and link of an article, as far as known, as context of a task."""
    parts: Iterator[tuple[str, str | None]] = iter((("title", article.title), ("url", article.url)))
    return tuple((label, text) for label, text in parts if text)


def _opening(article: Article) -> str:
    first = sentences(article.text, article.lang)[:_SENTENCES_OF_AN_ARTICLE]
    return "\n".join([article.title or "", *first]).strip()
