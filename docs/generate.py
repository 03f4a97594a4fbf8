"""Write what the reference takes from the code: options of commands, settings of methods, routes of the HTTP API.

`python -m docs.generate` rewrites the parts between `<!-- NAME: from the code -->` and `<!-- end -->`; a command without such a part gets one at the end of
its section. `tests/docs` fails where a page differs from what this writes.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from newsdesk.cli.main import newsdesk
from newsdesk.registry import TABLES

REFERENCE = Path(__file__).resolve().parent / "reference"
_END = "<!-- end -->"
_HELP = {"--help", "--version"}
# Arguments that the code, not a user, gives a method.
_GIVEN = {"self", "spec"}


def pages() -> dict[Path, str]:
    """Return the pages with parts from the code, as they should be."""
    command, methods = REFERENCE / "command.md", REFERENCE / "settings.md"
    api = REFERENCE / "api.md"
    return {
        command: with_options(command.read_text("utf-8")),
        methods: replaced(methods.read_text("utf-8"), "settings", settings()),
        api: replaced(api.read_text("utf-8"), "routes", routes()),
    }


def replaced(page: str, name: str, content: str) -> str:
    """Return a page with the part of this name replaced."""
    before, start, rest = page.partition(f"<!-- {name}: from the code -->\n")
    _, end, after = rest.partition(_END)
    if not (start and end):
        raise ValueError(f"the page has no part called {name!r}")
    return f"{before}{start}\n{content}\n{end}{after}"


def with_options(page: str) -> str:
    """Return the page of commands with a table of options at the end of each section."""
    page = re.sub(r"\n<!-- options: from the code -->.*?<!-- end -->\n", "", page, flags=re.DOTALL)
    intro, *sections = re.split(r"(?m)^(?=## newsdesk )", page)
    written = [intro]
    for section in sections:
        name = section.partition("\n")[0].removeprefix("## newsdesk ")
        table = options_table(command_named(name))
        block = f"\n<!-- options: from the code -->\n\n{table}\n\n{_END}\n" if table else ""
        written.append(f"{section.rstrip()}\n{block}\n")
    return f"{''.join(written).rstrip()}\n"


def command_named(name: str) -> click.Command:
    """Return a command by its words, as in `rank fit`."""
    command: click.Command = newsdesk
    for word in name.split():
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), word)
        assert found is not None, name
        command = found
    return command


def options_table(command: click.Command) -> str:
    """Return a table of the arguments and options of a command."""
    context = click.Context(command)
    rows = []
    for parameter in command.get_params(context):
        if _HELP & {*parameter.opts} or getattr(parameter, "hidden", False):
            continue
        if isinstance(parameter, click.Option):
            words, meaning = parameter.get_help_record(context) or ("", "")
        else:
            words, meaning = parameter.make_metavar(context), _argument(parameter)
        rows.append(f"| `{_cell(words)}` | {_cell(' '.join(meaning.split()))} |")
    return "\n".join(["| argument or option | meaning |", "|---|---|", *rows]) if rows else ""


def _argument(parameter: click.Parameter) -> str:
    several = "one or more" if parameter.nargs == -1 and parameter.required else ""
    several = "any number" if parameter.nargs == -1 and not parameter.required else several
    choices = getattr(parameter.type, "choices", ())
    return "; ".join(filter(None, [several, f"one of {', '.join(choices)}" if choices else ""]))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def settings() -> str:
    """Return a table of settings for every entry of every registry that has any."""
    parts = []
    for kind, table in TABLES.items():
        rows = [row for name in table for row in _settings_of(table.load(name), name)]
        if rows:
            parts.append(f"## {kind}\n\n| name | settings and their defaults |\n|---|---|\n" + "\n".join(rows))  # fmt: skip
    return "\n\n".join(parts)


def _settings_of(entry: Any, name: str) -> Iterator[str]:
    if not callable(entry):
        return
    given = [
        f"`{parameter.name}={parameter.default!r}`"
        for parameter in inspect.signature(entry).parameters.values()
        if parameter.name not in _GIVEN and parameter.default is not inspect.Parameter.empty
    ]
    yield f"| `{name}` | {_cell(', '.join(given)) or 'none'} |"


def routes() -> str:
    """Return a table of every route of the HTTP API, from its OpenAPI document."""
    from newsdesk.service.app import create_app
    from newsdesk.service.settings import ServiceSettings

    document = create_app(ServiceSettings(data=Path())).openapi()
    rows = [
        f"| `{method.upper()} {path}` | {_cell(_first_sentence(operation))} |"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]
    return "\n".join(["| route | what it does |", "|---|---|", *rows])


def _first_sentence(operation: dict[str, Any]) -> str:
    text = " ".join(operation.get("description", operation["summary"]).split())
    return re.split(r"(?<=\.) ", text)[0]


def main() -> None:
    """Rewrite the pages that differ."""
    for path, text in pages().items():
        if path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(path.relative_to(REFERENCE.parent))


if __name__ == "__main__":
    main()
