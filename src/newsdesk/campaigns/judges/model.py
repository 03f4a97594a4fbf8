"""A language model as a judge: one question of the form at a time, answered with letters, numbers or yes and no.

Texts of articles and comments are data between fences, never instructions. Ranks are asked as an order (`B > A = C`), scales and labels as one value per letter
(`A: 4, B: 2`), select-all tasks as a list of letters. What cannot be read as an answer is stored as such and counts for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from newsdesk.campaigns.judges.command import CommandJudge
from newsdesk.campaigns.judges.sheet import JudgeSheet
from newsdesk.campaigns.protocols import Question
from newsdesk.llm import ModelSettings, Prompt, compose, prompt_id
from newsdesk.registry import Spec
from newsdesk.settings import at_least
from newsdesk.types import Value

TASK = "You judge texts as a careful annotator. Follow the guidance; answer in the form that is asked, with nothing else."
ASK = {
    "rank": "Which text is best? Order the letters {letters} from best to worst with > between them and = between equal ones, such as {example}.",
    "scale": "Give each of the texts {letters} one of these values: {options}. Answer one line, such as {example}.",
    "label": "Give each of the texts {letters} one of these labels: {options}. Answer one line, such as {example}.",
    "select": "Of which of the texts {letters} is this true? Answer with their letters, such as {example}, or with the word none.",
}
_ONE = "Answer with one of these and nothing else: {options}."
_YES_NO = {True: "yes", False: "no"}


@dataclass(frozen=True, kw_only=True)
class ModelJudge(ModelSettings):
    """A language model and how long an article it is shown; settings as those of every `llm(…)`."""

    article_characters: int = 4_000

    def __post_init__(self) -> None:
        self.check_model()
        at_least("article_characters", self.article_characters, 0)

    @property
    def name(self) -> str:
        """The model, its temperature and the hash of the prompts."""
        parts = f"temperature={self.temperature:g},article={self.article_characters}"
        return f"llm:{self.asked.name}[{parts},prompt={prompt_id(TASK, _ONE, *ASK.values())}]"

    def prompts(self, sheet: JudgeSheet) -> list[Prompt]:
        """Return a question to the model for each question of the form."""
        return [self._prompt(sheet, question) for question in sheet.protocol.questions]

    def answers(
        self, sheets: Iterable[JudgeSheet]
    ) -> Iterator[tuple[JudgeSheet, Mapping[tuple[str, str], Value] | str]]:
        """Ask the model and yield its answers in the order of the sheets."""
        listed = list(sheets)
        prompts = [prompt for sheet in listed for prompt in self.prompts(sheet)]
        completions = self.asked.ask_all(prompts)
        for sheet in listed:
            values: dict[str, dict[str, Value]] = {letter: {} for letter in sheet.shown}
            fault = ""
            for question in sheet.protocol.questions:
                completion = next(completions)
                if not completion.usable:
                    fault = fault or completion.failure or "the model refused"
                    continue
                for letter, value in read_values(completion.text, sheet).items():
                    values[letter][question.name] = value
            yield sheet, fault or sheet.read(values)

    def _prompt(self, sheet: JudgeSheet, question: Question) -> Prompt:
        form = sheet.protocol
        texts = [(label, text) for label, text in sheet.task.context if label != "url"]
        if article := sheet.task.article[: self.article_characters]:
            texts.append(("article", article))
        texts += [(f"text {letter}", text) for letter, text in sheet.texts.items()]
        briefs: dict[Value, str] = {level.value: level.brief for level in form.levels}
        levels = [f"{value}: {briefs[value]}" for value in sheet.options if value in briefs and form.levels]  # fmt: skip
        lines = [*form.guidance, f"Question: {question.text}", *levels, _asked(sheet)]
        length = 8 + 8 * len(sheet.shown)
        return compose(
            TASK, texts, "\n".join(lines), max_tokens=length, temperature=self.temperature
        )


def judge_named(spec: str, *, timeout_s: float) -> ModelJudge | CommandJudge:
    """Return the judge that `llm(…)` or a command line names."""
    if spec.strip() == "llm" or spec.strip().startswith("llm("):
        arguments: dict[str, Any] = dict(Spec.parse(spec.strip()).arguments)
        return ModelJudge(**arguments)
    return CommandJudge(spec, timeout_s)


def read_values(text: str, sheet: JudgeSheet) -> dict[str, Value]:
    """Return the values by letter that an answer holds; less than all letters where it says less."""
    letters = list(sheet.shown)
    if sheet.protocol.kind == "rank":
        return _ranks(text, letters)
    if sheet.protocol.kind == "select" and len(letters) > 1:
        named = set(_letters_in(text, letters))
        none = bool(re.search(r"\bnone\b", text, re.IGNORECASE))
        return {letter: letter in named for letter in letters} if named or none else {}
    words = {_word(value).lower(): value for value in sheet.options}
    choice = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    if len(letters) == 1:
        found = re.search(rf"(?<!\w)(?:{choice})(?!\w)", text, re.IGNORECASE)
        return {letters[0]: words[found[0].lower()]} if found else {}
    pairs = re.findall(rf"(?<!\w)([A-Z]{{1,2}})\W{{1,4}}({choice})(?!\w)", text, re.IGNORECASE)
    return {
        letter.upper(): words[word.lower()] for letter, word in pairs if letter.upper() in letters
    }


def _ranks(text: str, letters: list[str]) -> dict[str, Value]:
    """Return competition ranks of an order such as `B > A = C`; of two texts the better letter alone will do."""
    order = re.search(r"[A-Z](?:\s*[>=]\s*[A-Z])+", text)
    named = _letters_in(text, letters)
    if order is None and len(letters) == 2 and len(set(named)) == 1:
        return {letter: 1 if letter == named[0] else 2 for letter in letters}
    ranks: dict[str, Value] = {}
    for group in order[0].split(">") if order else ():
        rank = len(ranks) + 1
        ranks |= dict.fromkeys(map(str.strip, group.split("=")), rank)
    return ranks if set(ranks) == set(letters) else {}


def _letters_in(text: str, letters: list[str]) -> list[str]:
    return [word for word in re.findall(r"(?<!\w)[A-Z]{1,2}(?!\w)", text) if word in letters]


def _asked(sheet: JudgeSheet) -> str:
    """Return what is asked at the end, with an example that favours no letter and no value."""
    kind, letters = sheet.protocol.kind, list(sheet.shown)
    options = ", ".join(map(_word, sheet.options))
    if len(letters) == 1 and kind != "rank":
        return _ONE.format(options=options)
    example: Any = {
        "rank": "Y > X = Z",
        "select": "X, Z",
    }.get(kind, "X: value, Y: value")
    return ASK[kind].format(letters=", ".join(letters), options=options, example=example)


def _word(value: Value) -> str:
    return _YES_NO[value] if isinstance(value, bool) else str(value)
