"""Writes the methods of ``alembert.Mechanism`` that are one for each joint, force and section of the format.

Run it after the format has changed: ``python python/tools/generate_mechanism.py``. It reads the schema and the manual
(see ``mechanism_format.py``) and writes files of ``python/alembert/_mechanism``; with ``--check`` it only says which of
them would change. A test does the same.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

import mechanism_format as form
import mechanism_words as words
from mechanism_format import Key, Kind
from mechanism_shapes import Shapes, order

TARGET = form.ROOT / "python" / "alembert" / "_mechanism"
NOTE = "Written by ``python/tools/generate_mechanism.py`` from the schema and the manual: change those, and run it."

#: Types that signatures are made of.
HANDLES = ["Body", "Coupling", "Driver", "Force", "Joint"]
VALUES = ["BodyName", "End", "Formula", "Formulas", "JointName", "Place", "Rows", "Value", "Values", "Vector"]

#: Files with the joints that they begin with; couplings have their own.
JOINT_FILES = {"joints": "revolute", "points": "point on line", "directions": "parallel"}


def _python(text: str) -> str:
    """A description with tables as Python writes them."""

    def table(found: re.Match[str]) -> str:
        entries = [entry.split(" = ", 1) for entry in found[1].split(", ")]
        return "{" + ", ".join(f'"{key.strip(chr(34))}": {value}' for key, value in entries) + "}"

    text = re.sub(r"\{ ([^{}]* = [^{}]*) \}", table, text)
    return text.replace("\\", "\\\\")


def _wrapped(text: str, indent: int, more: int = 0) -> list[str]:
    first, rest = " " * indent, " " * (indent + more)
    return textwrap.wrap(
        text, form.WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def _call(head: str, arguments: list[str], tail: str, indent: int) -> list[str]:
    """A call or signature: on one line if it fits, else its arguments on the next, else one a line."""
    pad, inner = " " * indent, " " * (indent + 4)
    line = f"{pad}{head}{', '.join(arguments)}{tail}"
    if len(line) <= form.WIDTH:
        return [line]
    middle = f"{inner}{', '.join(arguments)}"
    if len(middle) <= form.WIDTH:
        return [f"{pad}{head}", middle, f"{pad}{tail}"]
    return [f"{pad}{head}", *(line for argument in arguments for line in _argument(argument, inner)), f"{pad}{tail}"]


def _argument(argument: str, pad: str) -> list[str]:
    """An argument of a call on lines of its own; of a table as many entries on each as fit."""
    if len(pad + argument) < form.WIDTH or not argument.startswith("{"):
        return [f"{pad}{argument},"]
    parts = re.split(r', (?=")', argument[1:-1])
    lines, line = [], pad + "   "
    for part in parts:
        if len(line) + len(part) + 2 > form.WIDTH:
            lines.append(line)
            line = pad + "   "
        line += f" {part},"
    return [f"{pad}{{", *lines, line, f"{pad}}},"]


class Method:
    """The source of one method."""

    def __init__(self, name: str, says: str, returns: str) -> None:
        self.name, self.says, self.returns = name, says, returns
        self.by_place: list[str] = []
        self.by_name: list[str] = []
        self.meanings: list[tuple[str, str]] = []

    def argument(self, word: str, annotation: str, says: str, required: bool, by_place: bool) -> None:
        """Adds an argument."""
        given = f"{word}: {annotation}" if required else f"{word}: {annotation} | None = None"
        (self.by_place if by_place else self.by_name).append(given)
        if says:
            self.meanings.append((word, says))

    def keys(self, shapes: Shapes, section: str, keys: list[Key], required: list[str], by_place: set[str]) -> str:
        """Adds arguments for keys, and returns the table of them."""
        # What must be there comes first, what repeats the entry comes last.
        rank = {True: 0, False: 1}
        for key in sorted(keys, key=lambda key: (rank[key.name in required], key.name == "for")):
            annotation = shapes.annotation(section, key)
            says = words.SHORT.get((section, key.name)) or words.SHORT.get((self.name, key.name)) or key.says
            says = words.REPEATS if key.name == "for" else _python(says)
            self.argument(key.word, annotation, says, key.name in required, key.name in by_place)
        return "{" + ", ".join(f'"{key.name}": {key.word}' for key in keys) + "}"

    def source(self, body: str) -> list[str]:
        """Its lines."""
        marked = ["*", *self.by_name] if self.by_name else []
        lines = _call(f"def {self.name}(", ["self", *self.by_place, *marked], f") -> {self.returns}:", 4)
        says = self.says[0].upper() + self.says[1:]
        lines += _wrapped(f'"""{says}.', 8)
        if self.meanings:
            lines += ["", "        Args:"]
            for word, meaning in self.meanings:
                lines += _wrapped(f"{word}: {meaning}", 12, 4)
        example = words.EXAMPLES.get(self.name)
        if example:
            lines += ["", "        Example:", *_example(example)]
        lines += ['        """']
        head, rest = body.split("(", 1)
        return lines + _call(f"{head}(", _arguments(rest[:-1]), ")", 8) + [""]


def _example(code: str) -> list[str]:
    """An example, with its arguments on further lines if it is long."""
    lines = _wrapped(f">>> {code}", 12)
    return [lines[0], *(f"            ...     {line.strip()}" for line in lines[1:])]


def _arguments(text: str) -> list[str]:
    """The arguments of a call, apart at commas outside of brackets."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    return [*found, text[start:].strip()]


def _joint(shapes: Shapes, kind: Kind) -> list[str]:
    coordinates = kind.coordinates[0] or kind.coordinates[1]
    says = kind.says
    if coordinates:
        says += f". Coordinates: {', '.join(f'``{name}``' for name in coordinates)}"
    method = Method(kind.method, says or f"a {kind.name} joint", "Joint")
    method.argument("name", "str", "", True, True)
    method.argument("first", "End", "", True, True)
    method.argument("second", "End", "", True, True)
    method.meanings.append(("first, second", "bodies, points of them, or the ground: what the file has under `of`"))
    method.by_name.append("at: Values | None = None")
    table = method.keys(shapes, "joints", kind.keys, kind.required, set())
    method.meanings.append(("at", "a point of the first body by its components, where that is given without one"))
    return method.source(f'return self._add_joint("{kind.name}", name, (first, second), at, {table})')


def _coupling(shapes: Shapes, kind: Kind) -> list[str]:
    method = Method(kind.method, kind.says or f"a {kind.name} of joints", "Coupling")
    method.argument("name", "str", "", True, True)
    # A screw of one joint is the usual one.
    keys = sorted(kind.keys, key=lambda key: key.name != "joint")
    by_place = {"joint"} if kind.has("joint") else {"joints"}
    table = method.keys(shapes, "joints", keys, kind.required, by_place)
    return method.source(f'return self._add_coupling("{kind.name}", name, {table})')


def _force(shapes: Shapes, kind: Kind) -> list[str]:
    method = Method(kind.method, kind.says.replace("`", "``"), "Force")
    method.argument("name", "str", "", True, True)
    ends = "None"
    if kind.has("of"):
        method.argument("first", "End", "", True, True)
        method.argument("second", "End", "", True, True)
        method.meanings.append(("first, second", "bodies, points of them, or the ground: what the file has under `of`"))
        ends = "(first, second)"
    keys = [key for key in kind.keys if key.name != "of"]
    by_place = words.BY_PLACE & set(kind.required)
    table = method.keys(shapes, "forces", keys, kind.required, by_place)
    return method.source(f'return self._add_force("{kind.name}", name, {ends}, {table})')


def _driver(shapes: Shapes, along: bool) -> list[str]:
    keys = form.keys_of("drivers")
    method = Method(*(words.PATH if along else words.SECTIONS["drivers"][:2]), "Driver")
    method.argument("name", "str", "", True, True)
    if along:
        method.argument("first", "End", "", True, True)
        method.argument("second", "End", "", True, True)
        method.meanings.append(("first, second", "ends as of joints: what the file has under `of`"))
        table = method.keys(shapes, "drivers", [key for key in keys if key.name in ("for", "path")], ["path"], {"path"})
        return method.source(f"return self._add_driver(name, (first, second), {table})")
    keys = [key for key in keys if key.name not in ("name", "of", "path")]
    table = method.keys(shapes, "drivers", keys, ["joint"], {"joint"})
    return method.source(f"return self._add_driver(name, None, {table})")


def _section(shapes: Shapes, section: str) -> list[str]:
    name, says, returns = words.SECTIONS[section]
    keys = [key for key in form.keys_of(section) if key.name != "name"]
    method = Method(name, says, returns)
    open_ended = section not in ("run", "start", "variables", "equations")
    if open_ended:
        method.argument("name", "str | Body | Joint | Force | Driver" if section == "view" else "str", "", True, True)
    by_place = {"formula"} if section == "outputs" else set()
    table = method.keys(shapes, section, keys, [], by_place)
    given = "return " if returns != "None" else ""
    return method.source(f"{given}self._add_{name}({'name, ' if open_ended else ''}{table})")


def _file(says: str, owner: str, about: str, methods: list[list[str]]) -> str:
    body = "\n".join(line for method in methods for line in method)
    typing = ["TYPE_CHECKING"]
    typing += [word for word in ("Any", "Literal") if re.search(rf"\b{word}\[|\b{word}\b(?=[\],])", body)]
    abc = [word for word in ("Mapping", "Sequence") if f"{word}[" in body]
    code = re.sub(r'"[^"\n]*"', "", re.sub(r'""".*?"""', "", body, flags=re.DOTALL))
    handles, tables, values = (
        [name for name in names if re.search(rf"\b{name}\b", code)] for names in (HANDLES, Shapes.NAMES, VALUES)
    )
    lines = [f'"""{says}', "", NOTE, '"""', "", "from __future__ import annotations", ""]
    lines += [f"from collections.abc import {', '.join(abc)}"] * bool(abc)
    lines += [f"from typing import {', '.join(sorted(typing, key=order))}", "", "from .core import Core", ""]
    lines += ["if TYPE_CHECKING:"]
    for module, names in (("handles", handles), ("tables", tables), ("values", values)):
        if names:
            lines += _call(f"from .{module} import ", names, "", 4) if _fits(module, names) else [
                f"    from .{module} import (", *(f"        {name}," for name in names), "    )"
            ]
    lines += ["", "", f"class {owner}(Core):", f'    """{about}"""', "", body.rstrip()]
    return "\n".join(lines) + "\n"


def _fits(module: str, names: list[str]) -> bool:
    return len(f"    from .{module} import {', '.join(names)}") <= form.WIDTH


def generated() -> dict[Path, str]:
    """All files with their texts."""
    shapes = Shapes()
    joints, couplings = form.joints()
    groups: dict[str, list[Kind]] = {}
    for kind in joints:
        started = next((name for name, first in JOINT_FILES.items() if first == kind.name), None)
        group = groups.setdefault(started or list(groups)[-1], [])
        group.append(kind)
    texts = {}
    says = {
        "joints": ("Joints between two bodies that hold them together.", "Joints", "Hinges, guides, balls, welds."),
        "points": ("Joints that keep a point of a body somewhere.", "Points", "Points on lines, planes, curves; rods."),
        "directions": ("Joints that keep directions, and wheels.", "Directions", "Parallel axes, wheels, knife edges."),
    }
    for name, kinds in groups.items():
        texts[TARGET / f"{name}.py"] = _file(*says[name], [_joint(shapes, kind) for kind in kinds])
    made = [_coupling(shapes, kind) for kind in couplings]
    texts[TARGET / "couplings.py"] = _file("Couplings of joints.", "Couplings", "Gears, belts, racks, screws.", made)
    made = [_force(shapes, kind) for kind in form.forces()]
    texts[TARGET / "forces.py"] = _file("Forces.", "Forces", "Springs, motors, contacts, loads.", made)
    made = [_section(shapes, "bodies"), _driver(shapes, False), _driver(shapes, True)]
    texts[TARGET / "bodies.py"] = _file("Bodies and drivers.", "Bodies", "Bodies, and what moves them.", made)
    made = [_section(shapes, section) for section in ("events", "tables", "view", "outputs", "results")]
    about = "Events, tables, pictures, outputs, results."
    texts[TARGET / "outputs.py"] = _file("What is noticed, drawn and written of a motion.", "Outputs", about, made)
    made = [_section(shapes, section) for section in ("run", "start", "variables", "equations", "scenarios")]
    about = "Runs, starts, scenarios, equations of your own."
    texts[TARGET / "settings.py"] = _file("Sections of the file that say how it is run.", "Settings", about, made)
    texts[TARGET / "tables.py"] = shapes.tables(NOTE)
    texts[TARGET / "keys.py"] = shapes.keys(NOTE, {kind.name: kind.coordinates for kind in joints})
    return texts


def main() -> int:
    """Writes what has changed, or with ``--check`` names it."""
    texts = generated()
    stale = [path for path in texts if not path.exists() or path.read_text(encoding="utf-8") != texts[path]]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(form.ROOT)} would change: run python/tools/generate_mechanism.py")
        return 1 if stale else 0
    for path in stale:
        path.write_text(texts[path], encoding="utf-8")
        print(f"wrote {path.relative_to(form.ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
