"""Shapes and types of keys, from fragments of the schema.

``tables.py`` and ``keys.py`` of the package are written from them.
"""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar

import mechanism_format as form
from mechanism_format import Key

#: Words in the expression of a shape that are none of the file.
_WORD = re.compile(r"\b(?<!\")[A-Z]\w+")

#: Keys that refer to bodies, joints or columns, which the schema knows as text.
REFERENCES = {
    ("joints", "joint"): ("JOINT", "JointName"),
    ("joints", "joints"): ("ListOf(JOINT)", "Sequence[JointName]"),
    ("joints", "of"): ("ListOf(END)", "Sequence[End]"),
    ("forces", "joint"): ("JOINT", "JointName"),
    ("forces", "of"): ("ListOf(END)", "Sequence[End]"),
    ("forces", "at"): ("END", "End"),
    ("forces", "on"): ("END", "BodyName"),
    ("forces", "torque"): ("OneOrComponents(FORMULA, ListOf(FORMULA))", "Formula | Formulas"),
    ("drivers", "joint"): ("JOINT", "JointName"),
    ("drivers", "of"): ("ListOf(END)", "Sequence[End]"),
    ("run", "columns"): ("ListOf(COLUMN)", "Sequence[str]"),
    ("scenarios", "columns"): ("ListOf(COLUMN)", "Sequence[str]"),
    ("view", "trace"): ("Either(FLAG, TEXT, ListOf(NUMBER))", "Place | bool"),
}

#: Names of tables inside of entries, where that of the key would not say enough.
RENAMED = {
    "Bar": "Round",
    "Frames": "Frame",
    "Sphere": "Ball",
    "ViewCylinder": "ViewRound",
    "ViewForce": "ViewArrow",
    "ViewSphere": "ViewBall",
}


class Shapes:
    """All shapes of the format."""

    #: Names of the tables inside of entries, for imports.
    NAMES: ClassVar[list[str]] = []

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._tables: dict[str, dict[str, tuple[str, str]]] = {}
        self._sections: dict[str, dict[str, tuple[str, str]]] = {}
        for section, fragment in form.schema().items():
            if fragment.get("type") in ("object", "array") and section != "gravity" and self._has_keys(fragment):
                self._sections[section] = {
                    key.name: REFERENCES.get((section, key.name)) or self._shape(key.fragment, section, key)
                    for key in form.keys_of(section)
                }
        Shapes.NAMES = sorted(self._tables)

    @staticmethod
    def _has_keys(fragment: dict[str, Any]) -> bool:
        inner = fragment.get("items", fragment)
        if inner.get("properties"):
            return True
        # Functions and parameters have tables as well, which are written as text and numbers instead.
        options = inner.get("additionalProperties", {})
        options = options.get("anyOf", [options])
        return any(len(option.get("properties", {})) > 2 for option in options)

    def annotation(self, section: str, key: Key) -> str:
        """What type checkers allow for a key."""
        return self._sections[section][key.name][1]

    def _shape(self, fragment: dict[str, Any], section: str, key: Key, name: str = "") -> tuple[str, str]:
        """The expression of a shape, and its annotation."""
        kind, inner = fragment.get("type"), lambda part, name: self._shape(part, section, key, name)
        name = name or key.name
        if "enum" in fragment:
            listed = ", ".join(json.dumps(word) for word in fragment["enum"])
            return f"Choice({listed})", f"Literal[{listed}]"
        if "anyOf" in fragment:
            options = [inner(option, name) for option in self._flat(fragment, key)]
            if len(options) == 1:
                return options[0]
            if [shape for shape, _ in options[2:]] == ["ListOf(Either(TEXT, ListOf(NUMBER)))"]:
                return "AXES", "Vector | Sequence[Vector]"
            if [shape for shape, _ in options[:2]] == ["TEXT", "ListOf(NUMBER)"]:
                vector = "Place" if section == "view" else "Vector"
                options = [("TEXT", vector), ("ListOf(NUMBER)", vector), *options[2:]]
            types = list(dict.fromkeys(annotation for _, annotation in options))
            return f"Either({', '.join(shape for shape, _ in options)})", " | ".join(types)
        if kind == ["string", "number"]:
            return ("FORMULA", "Formula") if key.is_formula else ("NUMBER", "Value")
        if kind == ["array", "string"]:
            return "ROWS", "Rows"
        if kind == "string":
            return "TEXT", "str"
        if kind == "boolean":
            return "FLAG", "bool"
        if kind == "array":
            shape, annotation = inner(fragment["items"], name)
            plural = {"Value": "Values", "Formula": "Formulas"}.get(annotation, f"Sequence[{annotation}]")
            return f"ListOf({shape})", plural
        if fragment.get("properties"):
            return self._named(fragment, section, key, name)
        values = fragment.get("additionalProperties")
        if isinstance(values, dict):
            shape, annotation = inner(values, name)
            return f"ByName({shape})", f"Mapping[str, {annotation}]"
        return "ByName(ANY)", "Mapping[str, Any]"

    def _flat(self, fragment: dict[str, Any], key: Key) -> list[dict[str, Any]]:
        """The alternatives of a fragment; formulas have names only where the manual says so."""
        options: list[dict[str, Any]] = []
        for option in fragment["anyOf"]:
            options += self._flat(option, key) if "anyOf" in option else [option]
        named = [option for option in options if set(option.get("properties", ())) == {"formula", "name"}]
        return options if "name, formula" in key.holds else [option for option in options if option not in named]

    def _named(self, fragment: dict[str, Any], section: str, key: Key, name: str) -> tuple[str, str]:
        """A table of keys, which gets a name."""
        same = json.dumps([section, sorted(fragment["properties"])])
        if same not in self._known:
            title = "".join(part.capitalize() for part in name.split("_"))
            title = f"View{title}" if section == "view" else title
            title = "NamedFormula" if set(fragment["properties"]) == {"formula", "name"} else RENAMED.get(title, title)
            self._known[same] = title
            # What stands in tables of bodies and joints are constants; in those of pictures everything is a formula.
            plain = Key(key.name, {}, key.holds if section in ("view", "equations") else "")
            self._tables[title] = {
                inside: self._shape(part, section, plain, inside) for inside, part in fragment["properties"].items()
            }
        title = self._known[same]
        return title.upper(), title

    def tables(self, note: str) -> str:
        """The text of ``tables.py``."""
        values = ["Formula", "Formulas", "Place", "Value", "Values", "Vector"]
        annotations = [annotation for table in self._tables.values() for _, annotation in table.values()]
        used = {word for annotation in annotations for word in annotation.split(" | ")}
        shapes = _used(self._tables) - {title.upper() for title in self._tables}
        lines = [
            '"""Tables inside of entries, as of poses and solids: their types, and the shapes of their values.',
            "",
            note,
            '"""',
            "",
            "from __future__ import annotations",
            "",
            "from typing import TYPE_CHECKING, TypedDict",
            "",
            f"from .shapes import {', '.join(sorted([*shapes, 'Table'], key=order))}",
            "",
            "if TYPE_CHECKING:",
            f"    from .values import {', '.join(word for word in values if word in used)}",
            "",
        ]
        for title, keys in self._tables.items():
            types = ", ".join(f'"{key}": "{annotation}"' for key, (_, annotation) in keys.items())
            table = ", ".join(f'"{key}": {shape}' for key, (shape, _) in keys.items())
            lines += ["", *self._braced(f'{title} = TypedDict("{title}", ', types, ", total=False)")]
            lines += self._braced(f"{title.upper()} = Table(", table, ")")
        return "\n".join(lines) + "\n"

    @staticmethod
    def _braced(head: str, entries: str, tail: str) -> list[str]:
        line = f"{head}{{{entries}}}{tail}"
        if len(line) <= form.WIDTH:
            return [line]
        wrapped = re.split(r', (?=")', entries)
        return [f"{head}{{", *(f"    {entry}," for entry in wrapped), f"}}{tail}"]

    def keys(self, note: str, coordinates: dict[str, tuple[list[str], list[str]]]) -> str:
        """The text of ``keys.py``."""
        shapes = _used(self._sections)
        titles = {title.upper() for title in self._tables}
        lines = [
            '"""The keys of the format with the shapes of their values, and the coordinates of joints.',
            "",
            note,
            '"""',
            "",
            "from __future__ import annotations",
            "",
            "from collections.abc import Mapping",
            "",
            *self._imported("shapes", sorted([*(shapes - titles), "Shape"], key=order)),
            *self._imported("tables", sorted(shapes & titles)),
            "",
            "#: Keys by sections, in the order of the format.",
            "KEYS: Mapping[str, Mapping[str, Shape]] = {",
        ]
        for section, keys in self._sections.items():
            entries = [line for key, (shape, _) in keys.items() for line in self._line(key, shape)]
            lines += [f'    "{section}": {{', *entries, "    },"]
        lines += ["}", "", "#: Coordinates of joints, in space and in the plane."]
        lines += ["COORDINATES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {"]
        for name, (space, plane) in coordinates.items():
            lines += [f'    "{name}": ({self._words(space)}, {self._words(plane)}),']
        return "\n".join([*lines, "}"]) + "\n"

    @staticmethod
    def _imported(module: str, names: list[str]) -> list[str]:
        head = f"from .{module} import ("
        return [head, *(f"    {name}," for name in names), ")"]

    @staticmethod
    def _words(names: list[str]) -> str:
        listed = ", ".join(json.dumps(name) for name in names)
        return f"({listed},)" if len(names) == 1 else f"({listed})"

    @staticmethod
    def _line(key: str, shape: str) -> list[str]:
        line = f'        "{key}": {shape},'
        if len(line) <= form.WIDTH:
            return [line]
        words = shape[len("Choice(") : -1].split(", ")
        return [f'        "{key}": Choice(', *(f"            {word}," for word in words), "        ),"]


def _used(tables: dict[str, dict[str, tuple[str, str]]]) -> set[str]:
    """Names in the shapes of tables."""
    return {word for table in tables.values() for shape, _ in table.values() for word in _WORD.findall(shape)}


def order(name: str) -> tuple[bool, str]:
    """Constants before classes, as imports are sorted."""
    return not name.isupper(), name
