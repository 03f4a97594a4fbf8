"""The contract: settings are the fields of a frozen dataclass, written once; what is learned ends in `_` and is no setting.

    Configured    settings, spec and signature, all from the fields of the dataclass
    Model         a Configured that is fitted, saved into a folder and loaded again

A model keeps scikit-learn's contract: settings are stored untouched under their names, `fit` returns self, and what it learned ends in `_`.
"""

from __future__ import annotations

import functools
import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, Self

from newsdesk.errors import ArgumentError, DataError
from newsdesk.jsonl import json_text
from newsdesk.model.folder import Arrays, Saved, hashes_of, load_model, save_model
from newsdesk.registry import Registry, Spec
from newsdesk.signatures import signature

_DIGEST_DIGITS = 16


def learned_field() -> Any:
    """Declare a field that `fit` sets: no setting, not compared, absent until then."""
    return field(init=False, repr=False, compare=False)


@dataclass(frozen=True, eq=False)
class Configured(ABC):
    """A method with its settings: the fields that its constructor takes."""

    name: ClassVar[str]

    @classmethod
    def _setting_fields(cls) -> list[Field[Any]]:
        return [each for each in fields(cls) if each.init]

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings by name, as the constructor takes them."""
        return {each.name: getattr(self, each.name) for each in self._setting_fields()}

    @property
    def spec(self) -> Spec:
        """Return the name and the settings that differ from their defaults; it parses back to an equal method."""
        changed = [
            (each.name, value)
            for each in self._setting_fields()
            if (value := getattr(self, each.name)) != each.default
        ]
        return Spec(self.name, tuple(changed))

    @property
    def facts(self) -> Mapping[str, object]:
        """Return what the signature says beside the spec."""
        return {}

    @property
    def signature(self) -> str:
        """Return one line that names the method, its settings and what it was fitted on."""
        return signature(str(self.spec), self.facts)


@dataclass(frozen=True, eq=False)
class Model(Configured):
    """A method that is fitted, saved into a folder and loaded again.

    A subclass declares settings as fields, learned state as fields by `learned_field()`, and says in `learned` and `restore` how that
    state becomes JSON and arrays.
    """

    kind: ClassVar[str]  # as model.json calls it: ranker, commenter, summarizer, aligner
    table: ClassVar[Registry]

    @abstractmethod
    def fit(self, examples: Iterable[Any], dev: Iterable[Any] | None = None) -> Self:
        """Learn from examples; what is chosen on held-out data is chosen on `dev`, if there is any."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """Return one line about the fitted model: the name, and what was learned."""

    @abstractmethod
    def learned(self) -> tuple[dict[str, Any], Arrays]:
        """Return the state that `fit` learned: a part for JSON, and arrays."""

    @abstractmethod
    def restore(self, saved: Saved) -> None:
        """Set the state that `learned` returned, from what a folder holds."""

    def hold(self, **state: Any) -> Self:
        """Set learned state, and nothing else: settings are frozen."""
        vars(self).pop("_digest", None)
        vars(self).update(state)
        return self

    def forget(self) -> Self:
        """Drop all that was learned."""
        for name in ("_digest", *self._learned_names()):
            vars(self).pop(name, None)
        return self

    def with_settings(self, **settings: Any) -> Self:
        """Return a copy with other settings and the same learned state."""
        own = self.settings
        state = {k: v for k, v in vars(self).items() if k not in own and k != "_digest"}
        return type(self)(**{**own, **settings}).hold(**state)

    def check_fitted(self) -> None:
        """Raise an error if something that `fit` learns is missing."""
        if any(name not in vars(self) for name in self._learned_names()):
            raise ArgumentError(f"this {self.name} {self.kind} is not fitted yet; call fit first")

    @classmethod
    def _learned_names(cls) -> list[str]:
        return [each.name for each in fields(cls) if not each.init and each.name.endswith("_")]

    @property
    def digest(self) -> str:
        """Return sixteen hexadecimal digits of a hash of the settings and all that was learned."""
        return self._digest

    @functools.cached_property
    def _digest(self) -> str:
        learned, arrays = self.learned()
        return self._digest_of(learned, hashes_of(arrays))

    def _digest_of(self, learned: Mapping[str, Any], hashes: Mapping[str, str]) -> str:
        parts = [self.name, self.settings, dict(learned), dict(sorted(hashes.items()))]
        return hashlib.sha256(json_text(parts).encode()).hexdigest()[:_DIGEST_DIGITS]

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Write the model to a folder that `load` reads."""
        save_model(folder, self.kind, self.saved(), overwrite=overwrite)

    def saved(self) -> Saved:
        """Return what a folder holds of this model."""
        return Saved(self.name, self.settings, *self.learned())

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a saved model: a base class such as `Ranker` reads any of its kind, a subclass only its own."""
        saved = load_model(folder, cls.kind)
        entry = cls.table.load(saved.name)
        if not issubclass(entry, cls):
            raise DataError(f"a saved {saved.name!r}, not {cls.name!r}", file=str(folder))
        try:
            model: Self = entry(**_untupled(saved.settings))
            model.restore(saved)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"not a whole saved {cls.kind} ({error})", file=str(folder)) from error
        if saved.hashes is not None:  # the arrays need not be read again
            vars(model)["_digest"] = model._digest_of(saved.learned, saved.hashes)
        return model


def _untupled(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as they were: JSON turned tuples into lists."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}
