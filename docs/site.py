"""Build the documentation site: the pages of this folder and of `research/results`, as HTML with search that loads nothing from outside.

`python -m docs.site` (`make docs`) copies the pages to `build/docs`, makes links to files that are no pages plain text, checks every link and anchor, and runs Zensical.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "docs"
_SECTIONS = {
    "Tutorials": "tutorial",
    "How to": "how-to",
    "Reference": "reference",
    "Results": "results",
    "Decisions": "decisions",
}
_ROOT_PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
    "CODE_OF_CONDUCT.md": "project/code-of-conduct.md",
    "research/README.md": "results/index.md",
}
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\]|!\[[^\]]*\]\([^)]*\))*)\]\(([^()\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_CONFIG = """\
[project]
site_name = "newsdesk"
site_description = "Corpora, judgments, models and verdicts for news events, articles and reader comments."
docs_dir = "pages"
site_dir = "site"
use_directory_urls = false
nav = {nav}

[project.theme]
font = false
features = ["navigation.sections", "navigation.top", "content.code.copy", "search.highlight", "toc.follow"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle.icon = "lucide/sun"
toggle.name = "Dark"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle.icon = "lucide/moon"
toggle.name = "Light"
"""


def staged(root: Path = ROOT) -> dict[PurePosixPath, PurePosixPath]:
    """Return where each page and picture of the project stands in the site."""
    places = {PurePosixPath(source): PurePosixPath(place) for source, place in _ROOT_PAGES.items()}
    places |= {
        PurePosixPath(path.relative_to(root).as_posix()): PurePosixPath("results") / path.name
        for path in (root / "research/results").glob("*.md")
    }
    for path in sorted((root / "docs").rglob("*")):
        if path.suffix in (".md", ".png", ".svg"):
            inside = path.relative_to(root / "docs").as_posix()
            places[PurePosixPath("docs") / inside] = PurePosixPath(inside)
    return {source: place for source, place in places.items() if (root / source).exists()}


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as Markdown renderers make them.

    >>> sorted(anchors("# The command\\n\\n## newsdesk rank fit\\n"))
    ['newsdesk-rank-fit', 'the-command']
    """
    headings = re.findall(r"(?m)^#+ +(.+?) *$", _FENCE.sub("", text))
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", name.lower()).strip()) for name in plain}


def faults(root: Path = ROOT) -> Iterator[str]:
    """Yield every link of a page that leads to no file or to no heading."""
    for source in staged(root):
        if source.suffix != ".md":
            continue
        for _, _, target in _LINK.findall(_FENCE.sub("", (root / source).read_text("utf-8"))):
            file, _, anchor = target.partition("#")
            if "://" in target or target.startswith("mailto:"):
                continue
            path = (root / source).parent / file if file else root / source
            if not path.exists():
                yield f"{source}: there is no {target}"
            elif anchor and anchor not in anchors(path.read_text("utf-8")):
                yield f"{source}: no heading makes the anchor of {target}"


def page(source: PurePosixPath, places: dict[PurePosixPath, PurePosixPath], root: Path) -> str:
    """Return the text of a page with its links as the site needs them."""
    parts = _FENCE.split((root / source).read_text("utf-8"))

    def relinked(match: re.Match[str]) -> str:
        mark, text, target = match.groups()
        text = _LINK.sub(relinked, text)
        if "://" in target or target.startswith(("#", "mailto:")):
            return f"{mark}[{text}]({target})"
        file, _, anchor = target.partition("#")
        path = ((root / source).parent / file).resolve()
        there = PurePosixPath(path.relative_to(root).as_posix())
        if there not in places:
            return text  # a file of the project that is no page
        up = "../" * (len(places[source].parts) - 1)
        return f"{mark}[{text}]({up}{places[there]}{'#' + anchor if anchor else ''})"

    return "".join(part if part.startswith("```") else _LINK.sub(relinked, part) for part in parts)


def build(out: Path = BUILD, root: Path = ROOT) -> Path:
    """Write the site and return its folder; a link that leads nowhere, or a warning of Zensical, ends the build."""
    if broken := list(faults(root)):
        sys.exit("\n".join(broken))
    shutil.rmtree(out, ignore_errors=True)
    places = staged(root)
    for source, place in places.items():
        target = out / "pages" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            target.write_text(page(source, places, root), "utf-8")
        else:
            shutil.copyfile(root / source, target)
    (out / "zensical.toml").write_text(_CONFIG.format(nav=_nav(places, root)), "utf-8")
    subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "-f", "zensical.toml"],
        cwd=out,
        check=True,
    )
    return out / "site"


def _nav(places: dict[PurePosixPath, PurePosixPath], root: Path) -> str:
    """Return the table of contents as TOML: a section per folder, pages by their titles."""
    titles = {
        place: (root / source).read_text("utf-8").partition("\n")[0].lstrip("# ")
        for source, place in places.items()
        if source.suffix == ".md"
    }
    entries = ['{ "newsdesk" = "index.md" }']
    entries += [f'{{ "{titles[place]}" = "{place}" }}' for place in titles if len(place.parts) == 1 and place.name != "index.md"]  # fmt: skip
    for name, folder in {**_SECTIONS, "Project": "project"}.items():
        inside = [
            f'{{ "{title.replace(chr(34), chr(39))}" = "{place}" }}'
            for place, title in sorted(titles.items())
            if place.parts[0] == folder
        ]
        entries.append(f'{{ "{name}" = [{", ".join(inside)}] }}')
    return f"[{', '.join(entries)}]"


def main() -> None:
    """Build the site and say where it is."""
    print(build() / "index.html")


if __name__ == "__main__":
    main()
