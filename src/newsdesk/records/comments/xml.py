"""XML exports, read as a stream of elements by expat. Entity declarations are refused, so that no document can grow on being read.

Only the elements asked for become trees, and each is dropped when the next one comes: memory stays that of the largest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from newsdesk.errors import DataError

_SEPARATOR = " "
_MOST_DEPTH = 100


@dataclass(slots=True)
class Element:
    """An element: its name without the namespace, the namespace, attributes by local name, its own text and its children."""

    name: str
    namespace: str
    attributes: dict[str, str]
    line: int
    texts: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of the element itself."""
        return "".join(self.texts).strip()

    def child(self, name: str) -> Element | None:
        """The first child of this name."""
        return next((each for each in self.children if each.name == name), None)

    def value(self, name: str) -> str:
        """The text of the first child of this name; empty where there is none."""
        child = self.child(name)
        return child.text if child else ""


class _Builder:
    """Builds the trees of wanted elements from the events of the parser."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self.done: list[Element] = []
        self._wanted = wanted
        self._open: list[Element] = []
        self._depth = 0
        self.parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = _refuse_entities
        self.parser.ExternalEntityRefHandler = _refuse_entities

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise DataError(f"elements are nested more than {_MOST_DEPTH} deep")
        namespace, _, local = name.rpartition(_SEPARATOR)
        if not self._open and local not in self._wanted:
            return
        local_attributes = {
            key.rpartition(_SEPARATOR)[2]: value for key, value in attributes.items()
        }
        element = Element(local, namespace, local_attributes, self.parser.CurrentLineNumber)
        if self._open:
            self._open[-1].children.append(element)
        self._open.append(element)

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._open:
            element = self._open.pop()
            if not self._open:
                self.done.append(element)

    def _text(self, text: str) -> None:
        if self._open:
            self._open[-1].texts.append(text)


def _refuse_entities(*arguments: object) -> int:
    raise DataError("the XML declares entities, which are not read; export it again without a DTD")


def elements(chunks: Iterable[bytes], wanted: Iterable[str]) -> Iterator[Element]:
    """The outermost elements of these names, in order."""
    builder = _Builder(frozenset(wanted))
    try:
        for chunk in chunks:
            builder.parser.Parse(chunk, False)
            yield from builder.done
            builder.done.clear()
        builder.parser.Parse(b"", True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        raise DataError(f"not XML: {message} in line {error.lineno}") from None
    yield from builder.done
