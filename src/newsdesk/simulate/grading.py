"""Simulated people who grade any comment under an article of a world, from 1 to 5, by what the world knows about the article.

The quality they see is computed from the words: insights of the article's subject count fully, words of its topic half, other content words not at all, and a text that repeats itself or has
hardly any words is worth less. The panel that grades the references of the world then answers with its biases and noise. So grades of generated and retrieved comments come from the same people as those of the rest,
and nobody but the simulation knows them: they say how systems compare in this world, not what real people think.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from newsdesk.errors import DataError
from newsdesk.simulate.draws import world_stream
from newsdesk.simulate.graded import PEOPLE_EACH, QUESTION
from newsdesk.simulate.people import assign
from newsdesk.simulate.texts import TALK
from newsdesk.simulate.world import World
from newsdesk.types import Judgment, Output

CAMPAIGN = "sim-grade-suggestions"

_ARTICLE = re.compile(r"sim-e(\d{6,})/a\d+")
_WORD = re.compile(r"[^\W_]+")
_FEW_WORDS = 4
_PRIOR_WORDS = 2.0
_TOPIC_WORTH = 0.5
_BASE, _SLOPE = 0.1, 1.1


@dataclass(frozen=True)
class Grader:
    """Grades texts about the articles of a world."""

    world: World

    def quality(self, article: str, text: str) -> float:
        """Return the quality of a text under an article, from 0 to 1."""
        forum = self.world.forum
        about = forum.topic(forum.newsroom.planner.plan(self._event(article)), TALK)
        insights = {word.lower() for word in about.insights.tolist()}
        topic = {word.lower() for word in about.words.tolist()} - insights
        words = self._words(text, insights | topic)
        if not words:
            return 0.0
        lexicon = forum.newsroom.planner.lexicon
        plain = {word.lower() for word in lexicon.function.tolist()}
        plain |= {word.lower() for marks in lexicon.marks.values() for word in marks.tolist()}
        distinct = set(words)
        content = len(distinct - plain)
        worth = len(distinct & insights) + _TOPIC_WORTH * len(distinct & topic)
        readable = min(1.0, len(words) / _FEW_WORDS) * min(1.0, 2 * len(distinct) / len(words))
        return float(np.clip(readable * (_BASE + _SLOPE * worth / (content + _PRIOR_WORDS)), 0, 1))

    def judgments(self, outputs: Iterable[Output]) -> Iterator[Judgment]:
        """Yield two grades for each output, by two people of the panel."""
        panel, seed = self.world.desk.panel, self.world.seed
        for output in outputs:
            latent = np.array([self.quality(output.id, output.text)])
            name = f"grades of suggestions {output.id} {output.system}"
            rng = world_stream(name, seed)
            who = assign(rng, 1, len(panel.bias), PEOPLE_EACH)
            task = f"{output.id}|{output.system}"
            for person, grade in zip(
                who[0].tolist(), panel.answers(rng, latent, who)[0].tolist(), strict=True
            ):
                yield Judgment(
                    CAMPAIGN, task, output.id, output.system, QUESTION, grade, panel.name(person), via="model"
                )  # fmt: skip

    def _event(self, article: str) -> int:
        match = _ARTICLE.fullmatch(article)
        if not match or int(match[1]) >= self.world.settings.events:
            raise DataError(f"article {article!r} is not of this simulated world")
        return int(match[1])

    def _words(self, text: str, terms: set[str]) -> list[str]:
        """Return the words of a text.

        Where the language has no spaces, these are the terms it holds, and one for every two other characters.
        """
        lowered = text.lower()
        if self.world.forum.newsroom.planner.lexicon.space:
            return _WORD.findall(lowered)
        present = [word for word in sorted(terms) if word in lowered]
        rest = "".join(filter(str.isalnum, lowered))
        for word in present:
            rest = rest.replace(word, "")
        return [*present, *(rest[start : start + 2] for start in range(0, len(rest), 2))]
