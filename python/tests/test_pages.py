"""The pages about the package: every block of Python on them runs as it stands, and prints what the page says.

Blocks of one section (a heading with two signs) share their names, as if they were typed one after the other into one
file beside the models of the project. Where a block of text follows, it is what was printed: a warning as
``Category: message``, and an exception likewise, which only blocks below a line ``<!-- raises -->`` may raise. A line
``…`` stands for any number of lines, as on the other pages of the project.

With ``UPDATE_DOCS=1`` in the environment pages get what is printed now, where no lines are left out.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import sys
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT

PAGES = ("docs/python.md", "python/README.md", "README.md")

_FENCE = re.compile(r"```(?P<language>\w*)")
_MARK = re.compile(r"<!-- (?P<mark>\w+) -->")
#: What messages call the file of a block.
_FILE = "example.py"
_ANYTHING = "…"


@dataclass
class Block:
    """A block of code, and what it prints; nothing is known of that where no text follows."""

    line: int
    code: str
    raises: bool
    prints: str | None = None


@dataclass
class Section:
    """Blocks that share their names."""

    page: str
    title: str
    blocks: list[Block] = field(default_factory=list)


def fences(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Line, language, content and the mark above it of each block; headings have the language ``#``."""
    mark, start = "", 0
    inside: str | None = None
    content: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if inside is not None:
            if line == "```":
                yield start, inside, "\n".join(content), mark
                mark, inside = "", None
            else:
                content.append(line)
        elif fence:
            inside, start, content = fence["language"], number, []
        elif line.startswith("## "):
            yield number, "#", line[3:], ""
        elif line.strip():
            found = _MARK.fullmatch(line)
            mark = found["mark"] if found else ""
    assert inside is None, f"the block that begins on line {start} does not end"


def sections(page: str) -> list[Section]:
    """The sections of a page that have code."""
    found = [Section(page, "")]
    before: Block | None = None
    text = (PROJECT / page).read_text(encoding="utf-8")
    for line, language, content, mark in fences(text):
        if language == "#":
            found.append(Section(page, content))
        elif language == "python":
            found[-1].blocks.append(Block(line, content, mark == "raises"))
        elif language == "text" and before is not None:
            before.prints = content
        before = found[-1].blocks[-1] if language == "python" else None
    return [section for section in found if section.blocks]


SECTIONS = [section for page in PAGES for section in sections(page)]


def show(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
    """Prints a warning as the pages show it: where it comes from is clear there."""
    print(f"{category.__name__}: {message}")


def execute(block: Block, namespace: dict[str, Any]) -> str:
    """Runs a block, and returns what it printed."""
    # Messages quote lines of the file that they are about.
    lines = [line + "\n" for line in block.code.splitlines()]
    linecache.cache[_FILE] = (len(block.code), None, lines, _FILE)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        # Other packages may deprecate what they like.
        warnings.simplefilter("ignore")
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", category)
        warnings.showwarning = show
        try:
            exec(compile(block.code, _FILE, "exec"), namespace)
        except Exception as error:
            if not block.raises:
                raise
            print(f"{type(error).__name__}: {error}")
        else:
            assert not block.raises, f"line {block.line}: the page says that this raises an exception, and it does not"
    # Files of the project have no blanks at the ends of lines.
    return "\n".join(line.rstrip() for line in printed.getvalue().splitlines()).rstrip()


def agrees(printed: str, said: str) -> bool:
    """Whether a text is what the page says, lines that are left out aside."""
    parts = [re.escape(part) for part in f"\n{said}\n".split(f"\n{_ANYTHING}\n")]
    return re.fullmatch(r"\n(?:.*\n)*?".join(parts), f"\n{printed}\n") is not None


def renew(page: str, block: Block, printed: str) -> None:
    """Puts what a block prints below it on its page."""
    path = PROJECT / page
    text = path.read_text(encoding="utf-8")
    code = f"```python\n{block.code}\n```\n"
    start = text.index("```text\n", text.index(code) + len(code)) + len("```text\n")
    end = text.index("```\n", start)
    path.write_text(text[:start] + printed + "\n" + text[end:], encoding="utf-8", newline="\n")


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: f"{section.page}: {section.title}")
def test_a_section_does_what_it_says(section: Section, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    (tmp_path / "models").symlink_to(PROJECT / "models")
    # Functions are looked for in their module, as those of a file that is run.
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    for block in section.blocks:
        printed = execute(block, module.__dict__)
        said = block.prints or ""
        if "UPDATE_DOCS" in os.environ and block.prints is not None and _ANYTHING not in said.splitlines():
            renew(section.page, block, printed)
            continue
        assert agrees(printed, said), (
            f"{section.page}, line {block.line}: the page says\n{said}\nand it prints\n{printed}"
        )


def test_pages_have_code() -> None:
    assert {section.page for section in SECTIONS} >= {"docs/python.md", "python/README.md"}


def test_texts_are_compared_line_by_line() -> None:
    assert agrees("one\ntwo\nthree", "one\n…\nthree") and agrees("one\ntwo", "one\n…") and agrees("one", "one\n…")
    assert agrees("one\ntwo", "…\ntwo") and agrees("a.b", "a.b") and agrees("", "")
    assert not agrees("one\ntwo\nthree", "one\nthree") and not agrees("acb", "a.b")
    assert not agrees("one two", "one\n…\ntwo")


def test_blocks_are_told_apart() -> None:
    text = "```python\na\n```\n\nIt prints:\n\n```text\n1\n```\n\n## Two\n"
    text += "<!-- raises -->\n```python\nb\n```\n```toml\nc\n```\n"
    assert list(fences(text)) == [
        (1, "python", "a", ""),
        (7, "text", "1", ""),
        (11, "#", "Two", ""),
        (13, "python", "b", "raises"),
        (16, "toml", "c", ""),
    ]
