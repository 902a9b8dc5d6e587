"""Writes ``docs/python-api.md``, the reference of the Python package, from its signatures and docstrings.

Run it after one of them has changed, with the package installed: ``python python/tools/generate_reference.py``. With
``--check`` it only says whether the page would change. A test does the same.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import alembert
from alembert import _mechanism

TARGET = Path(__file__).parents[2] / "docs" / "python-api.md"
WIDTH = 120

OPENING = """\
# Reference of the Python package

`python/tools/generate_reference.py` writes this page from the package itself; [python.md](python.md) is the chapter to
read first. `import alembert as al` stands above all of it, and `help(al.solve)` says the same in Python.
"""

#: What is public, in the order in which people meet it, with a sentence about each group.
GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Equations of your own": (
        "A system is made of functions and solved in one call.",
        ("System", "solve", "ctypes_signature", "numba_signature", "Untraceable"),
    ),
    "Model files": (
        "Text with formulas, or with bodies and joints.",
        ("load", "load_text", "Model", "formatted"),
    ),
    "Mechanisms": ("Bodies, joints and forces, put together in Python.", ("Mechanism",)),
    "Results": ("What runs give.", ("Solution", "State", "Event", "open", "Page", "Picture")),
    "Analyses": (
        "What a model is, how far a run can be trusted, what accuracy costs, and many runs at once.",
        ("Check", "Certificate", "Comparison", "Sweep"),
    ),
    "Steps": ("A run step by step.", ("Integrator", "Step")),
    "Methods of integration": ("How steps are made.", ("methods", "Method")),
    "Errors and warnings": (
        "What goes wrong, with fields.",
        (
            "AlembertError", "UsageError", "ModelError", "Mistake", "IntegrationError", "ResultWarning",
            "CallbackWarning",
        ),
    ),
}

#: Public names that need no entry.
PLAIN = {"__version__": "the version of the package, as text."}

#: Classes that people make themselves; all others are given to them.
MADE = ("System", "Model", "Mechanism")

#: The methods of a mechanism by the class that has them; those of the builder itself stand before them.
PARTS = {
    "Bodies": "Bodies and drivers",
    "Joints": "Joints",
    "Points": "Joints of points",
    "Directions": "Joints of directions, wheels",
    "Couplings": "Couplings",
    "Forces": "Forces",
    "Sections": "Parameters, definitions, states, inputs",
    "Outputs": "Outputs, events, tables, pictures",
    "Settings": "Runs, starts, equations",
}

#: What the methods of a mechanism return.
HANDLES = ("Body", "Joint", "Force", "Driver", "Coupling", "Ground", "Column", "Marker")

#: Keywords that every method of a part takes, which tables leave out.
COMMON = frozenset({"for_"})

#: How operators are written, by their methods.
OPERATORS = {"__call__": "{}({})", "__getitem__": "{}[{}]", "__setitem__": "{}[{}] = {}", "__iter__": "for … in {}"}

Lines = list[str]


# Signatures


@dataclasses.dataclass(frozen=True)
class Member:
    """A function, method or property: what it is called, what it takes, what it says of itself."""

    name: str
    doc: str
    signature: inspect.Signature | None = None

    @staticmethod
    def of(name: str, value: Any) -> Member:
        """That of a value found under a name."""
        if isinstance(value, property):
            return Member(name, documentation(value))
        function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        return Member(name, documentation(function), inspect.signature(function))

    @property
    def is_value(self) -> bool:
        """Whether it is looked at instead of called."""
        return self.signature is None

    @property
    def optional(self) -> dict[str, None]:
        """Keywords that may be left out, in their order."""
        listed = [] if self.signature is None else list(self.signature.parameters.values())
        return {one.name: None for one in listed if one.kind is one.KEYWORD_ONLY and one.default is not one.empty}

    def arguments(self, without: Collection[str] = ()) -> Lines:
        """Its arguments as they are written, without types, which editors show."""
        kinds = inspect.Parameter
        found: Lines = []
        listed = [] if self.signature is None else list(self.signature.parameters.values())
        marked = any(one.kind is kinds.VAR_POSITIONAL for one in listed)
        for number, one in enumerate(listed):
            if (number == 0 and one.name in ("self", "cls")) or one.name in without or one.name.startswith("_"):
                continue
            if one.kind is kinds.KEYWORD_ONLY and not marked:
                found.append("*")
                marked = True
            star = "*" if one.kind is kinds.VAR_POSITIONAL else "**" if one.kind is kinds.VAR_KEYWORD else ""
            default = "" if one.default is kinds.empty else f"={one.default!r}".replace("'", '"')
            found.append(f"{star}{one.name}{default}")
            following = listed[number + 1] if number + 1 < len(listed) else None
            if one.kind is kinds.POSITIONAL_ONLY and (following is None or following.kind is not kinds.POSITIONAL_ONLY):
                found.append("/")
        return found

    def written(self, owner: str = "", without: Collection[str] = ()) -> str:
        """The call on one line; operators are written as such."""
        if self.is_value:
            return self.name
        given = self.arguments(without)
        if self.name in OPERATORS:
            return OPERATORS[self.name].format(owner, *(given if self.name != "__call__" else [", ".join(given)]))
        return f"{self.name}({', '.join(given)})"


def documentation(value: Any) -> str:
    """The docstring without its indentation; an entry without one is a mistake."""
    doc = value.__doc__
    if not doc:
        raise SystemExit(f"{value!r} has no docstring")
    return inspect.cleandoc(doc)


def call(name: str, member: Member) -> Lines:
    """A call as a block of code, on several lines if it is long."""
    given = member.arguments()
    line = f"{name}({', '.join(given)})"
    inner = [line]
    if len(line) > WIDTH:
        rows = textwrap.wrap(", ".join(given), WIDTH - 4, initial_indent="    ", subsequent_indent="    ")
        inner = [f"{name}(", *rows, ")"]
    return ["```python", *inner, "```", ""]


def members(kind: type, own: bool = False) -> list[Member]:
    """What a class offers: that of its bases first, in the order in which it is written."""
    found: dict[str, Member] = {}
    for base in reversed([kind] if own else kind.__mro__):
        if not base.__module__.startswith("alembert"):
            continue
        for name, value in vars(base).items():
            public = not name.startswith("_") or (name in OPERATORS and value.__doc__)
            if public and isinstance(value, (property, staticmethod, classmethod, *_FUNCTIONS)):
                found[name] = Member.of(name, value)
    return list(found.values())


_FUNCTIONS: tuple[type, ...] = (type(documentation),)

_ATTRIBUTE = re.compile(r"((?:^ *#: .*\n)+) *(?:self\.)?(\w+)\b", re.MULTILINE)


def source(kind: type) -> str:
    """The text of a class, also of an exception that is public under the name of the package."""
    home = sys.modules[kind.__module__]
    if home is alembert:
        home = next(module for name, module in sys.modules.items() if name != "alembert" and vars(module).get(kind.__name__) is kind)
    text = inspect.getsource(home)
    body = next(one for one in ast.parse(text).body if isinstance(one, ast.ClassDef) and one.name == kind.__name__)
    return ast.get_source_segment(text, body) or ""


def attributes(kind: type, own: bool = False) -> Iterator[tuple[str, str]]:
    """What its instances have besides properties: fields, and what comments in the source tell of."""
    if dataclasses.is_dataclass(kind):
        for one in dataclasses.fields(kind):
            yield one.name, f"`{one.type}`"
        return
    for base in reversed([kind] if own else kind.__mro__):
        if base.__module__.startswith("alembert") and base.__name__ not in PARTS:
            for comment, name in _ATTRIBUTE.findall(source(base)):
                if not name.startswith("_"):
                    yield name, inline(" ".join(line.strip()[2:].strip() for line in comment.splitlines()))


# Docstrings

_ROLE = re.compile(r":\w+:`~?([^`]+)`")
_LINK = re.compile(r"\balembert\.(?=[A-Z])")


def inline(text: str) -> str:
    """Marks of docstrings as those of pages."""
    text = _ROLE.sub(lambda found: f"`{_LINK.sub('', found[1])}`", text)
    return text.replace("``", "`")


def paragraphs(doc: str) -> list[Lines]:
    """Lines between blank lines, and headings such as ``Args:`` with what is indented below them."""
    found: list[Lines] = []
    for part in re.split(r"\n\s*\n", doc):
        lines = part.splitlines()
        goes_on = found and lines[0].startswith("    ") and found[-1][0].endswith(":")
        if goes_on:
            found[-1] += ["", *lines]
        else:
            found.append(lines)
    return found


def listed(lines: Lines) -> Lines:
    """Arguments with their meanings as a list."""
    items: list[tuple[str, Lines]] = []
    for line in textwrap.dedent("\n".join(lines)).splitlines():
        if line.startswith(" "):
            items[-1][1].append(line.strip())
        elif line:
            names, _, says = line.partition(": ")
            items.append((", ".join(f"`{name}`" for name in names.split(", ")), [says]))
    return [f"- {names}: {inline(' '.join(says))}" for names, says in items]


def code(lines: Lines, language: str) -> Lines:
    """A block of code."""
    return [f"```{language}", *textwrap.dedent("\n".join(lines)).splitlines(), "```"]


def page(doc: str) -> Lines:
    """A docstring as a part of the page."""
    found: Lines = []
    for lines in paragraphs(doc):
        first = lines[0].strip()
        if first in ("Args:", "Attributes:"):
            found += listed(lines[1:])
        elif first == "Example:":
            found += code(lines[1:], "pycon")
        elif first.startswith(">>>"):
            found += code(lines, "pycon")
        elif first.endswith("::"):
            said = inline(first[:-2].rstrip())
            text = textwrap.dedent("\n".join(lines[1:])).strip("\n").splitlines()
            found += [*([f"{said}:", ""] if said else []), *code(text, "python" if "@" in lines[-3] else "text")]
        else:
            found.append(inline(" ".join(line.strip() for line in lines)))
        found.append("")
    return found


def sentence(doc: str) -> str:
    """The first paragraph on one line, for tables."""
    return inline(" ".join(line.strip() for line in paragraphs(doc)[0]))


def words(doc: str) -> str:
    """All paragraphs that are neither lists nor examples, for tables."""
    found = [sentence(doc)]
    for lines in paragraphs(doc)[1:]:
        first = lines[0].strip()
        if not first.startswith(">>>") and not first.endswith(":"):
            found.append(inline(" ".join(line.strip() for line in lines)))
    return " ".join(found)


def is_long(doc: str) -> bool:
    """Whether arguments or examples make it an entry of its own."""
    return any(lines[0].strip() in ("Args:",) or lines[0].startswith(">>>") for lines in paragraphs(doc))


# Pages


def table(rows: list[tuple[str, ...]], *head: str) -> Lines:
    """A table with these columns; nothing for no rows."""
    if not rows:
        return []
    lines = [" | ".join(("", *head, "")).strip(), "|---" * len(head) + "|"]
    for row in rows:
        cells = (one.replace("|", "\\|") for one in row)
        lines.append(" | ".join(("", *cells, "")).strip())
    return [*lines, ""]


def of_class(kind: type, skipped: Collection[str] = ()) -> Lines:
    """A class: how it is made, what it has, what it does."""
    lines: Lines = []
    if kind.__name__ in MADE:
        lines += call(kind.__name__, Member(kind.__name__, "", inspect.signature(vars(kind)["__init__"])))
    lines += page(documentation(kind))
    # What stands elsewhere on the page is not told again.
    above = next((base.__name__ for base in kind.__mro__[1:] if base.__name__ in alembert.__all__), None)
    if above is not None:
        lines += [f"It has everything that [`{above}`](#{anchor(above)}) has.", ""]
    found = [one for one in members(kind, own=above is not None) if one.name not in skipped]
    values: list[tuple[str, ...]] = [(f"`{name}`", says) for name, says in attributes(kind, own=above is not None)]
    values += [(f"`{one.name}`", sentence(one.doc)) for one in found if one.is_value]
    lines += table(values, "Attribute", "Type" if dataclasses.is_dataclass(kind) else "Is")
    functions = [one for one in found if not one.is_value]
    owner = kind.__name__.lower()
    rows: list[tuple[str, ...]] = [
        (f"`{one.written(owner)}`", words(one.doc)) for one in functions if not is_long(one.doc)
    ]
    lines += table(rows, "Method", "Does")
    for one in functions:
        if is_long(one.doc):
            lines += [f"#### {kind.__name__}.{one.name}", "", *call(one.name, one), *page(one.doc)]
    return lines


def mechanism() -> Lines:
    """The builder: its many methods as tables, one for each part of the file."""
    kind = alembert.Mechanism
    bases = {base.__name__: base for base in kind.__mro__}
    found = {name: [one for one in members(bases[name], own=True) if not one.is_value] for name in PARTS}
    lines = of_class(kind, [one.name for some in found.values() for one in some])
    lines += [
        "The methods below add something, with the keys of the format as keywords. Those of bodies, joints, drivers "
        'and forces take `for_` as well, which repeats the entry: `"i in 1..N"`. `help(al.Mechanism.revolute)` says '
        "what each argument is.",
        "",
    ]
    for name, title in PARTS.items():
        rows = [(f"`{one.written(without=one.optional)}`", keywords(one), sentence(one.doc)) for one in found[name]]
        lines += [f"#### {title}", "", *table([*rows], "Method", "Keywords that may be left out", "Is")]
    lines += ["#### What these methods return", ""]
    lines += ["A handle stands for what was added, and knows the names of its results for formulas and columns.", ""]
    for name in HANDLES:
        handle = getattr(_mechanism, name)
        lines += [f"**{name}.** {words(documentation(handle))}", ""]
        own = members(handle, own=True)
        lines += table([(f"`{one.written(name.lower())}`", sentence(one.doc)) for one in own], "Member", "Is")
    return lines


#: Most keywords in a row of a table; runs have dozens.
_MOST = 14


def keywords(member: Member) -> str:
    """What a method takes besides."""
    found = [f"`{name}`" for name in member.optional if name not in COMMON]
    return ", ".join(found[:_MOST]) + (", …" if len(found) > _MOST else "")


def anchor(title: str) -> str:
    """The name of a heading in links."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def contents() -> Iterator[str]:
    """Links to everything."""
    for title, (_, names) in GROUPS.items():
        links = ", ".join(f"[`{name}`](#{anchor(name)})" for name in names)
        yield f"- [{title}](#{anchor(title)}): {links}"


def whole() -> str:
    """The text of the page."""
    missing = set(alembert.__all__) - {name for _, names in GROUPS.values() for name in names} - set(PLAIN)
    if missing:
        raise SystemExit(f"public names that no group has: {', '.join(sorted(missing))}")
    lines = [OPENING, *contents(), ""]
    lines += [f"`al.{name}` is {says}" for name, says in PLAIN.items()] + [""]
    entries: dict[str, Callable[[Any], Lines]] = {"Mechanism": lambda _: mechanism()}
    for title, (says, names) in GROUPS.items():
        lines += [f"## {title}", "", says, ""]
        for name in names:
            value = getattr(alembert, name)
            lines += [f"### {name}", ""]
            if isinstance(value, type):
                lines += entries.get(name, of_class)(value)
            else:
                member = Member.of(name, value)
                lines += [*call(name, member), *page(member.doc)]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
    return "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"


def main() -> int:
    """Writes the page, or compares it."""
    text = whole()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text, encoding="utf-8", newline="\n")
        return 0
    same = TARGET.exists() and TARGET.read_text(encoding="utf-8") == text
    if not same:
        print("docs/python-api.md is not what the package says: run python/tools/generate_reference.py")
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())
