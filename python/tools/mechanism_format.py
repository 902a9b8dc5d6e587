"""Reads what the format is: sections, kinds, keys and their meanings, from the schema and the manual of the repository.

The schema has the keys, the words that a key may hold, and in its descriptions for which kinds a key is ("distance,
revolute-spherical: of the rod"). The manual has the order of keys, which of them are formulas of everything, and the
table of joints with their coordinates.
"""

from __future__ import annotations

import json
import keyword
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mechanism_words as words

#: Longest line of what is written.
WIDTH = 120

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "models" / "schema" / "model-1.schema.json"
FORMAT_PAGE = ROOT / "docs" / "model-format.md"
MECHANISM_PAGE = ROOT / "docs" / "mechanisms.md"


@dataclass
class Key:
    """A key of a section."""

    name: str
    fragment: dict[str, Any]
    #: What the manual says that it holds.
    holds: str = ""
    #: What it means.
    says: str = ""

    @property
    def word(self) -> str:
        """As an argument of Python."""
        word = re.sub(r"\W", "_", self.name)
        return f"{word}_" if keyword.iskeyword(word) else word

    @property
    def is_formula(self) -> bool:
        """Whether it may depend on everything, so that functions of Python make sense."""
        if self.holds == "a table of formulas":
            # All others of these are constants at the start.
            return self.name == "set"
        return "formula" in self.holds and "constant" not in self.holds


@dataclass
class Kind:
    """A type of joint or force."""

    name: str
    says: str
    #: Keys with what they mean for this type.
    keys: list[Key] = field(default_factory=list)
    required: list[str] = field(default_factory=list)
    #: Coordinates in space, and in the plane.
    coordinates: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))

    @property
    def method(self) -> str:
        """The name of its method."""
        return re.sub(r"\W", "_", self.name)

    def has(self, key: str) -> bool:
        """Whether it has a key."""
        return any(known.name == key for known in self.keys)


def schema() -> dict[str, Any]:
    """Properties of the top level of the schema."""
    found: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))["properties"]
    return found


def _rows(page: Path, heading: str) -> dict[str, tuple[str, ...]]:
    """The rows of the table below a heading, by the key in their first column."""
    text = page.read_text(encoding="utf-8")
    part = text.split(f"\n### {heading}\n", 1)[1].split("\n### ", 1)[0]
    lines = [line.strip("|") for line in part.splitlines() if line.startswith("| `")]
    rows = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    return {row[0].strip("` |"): tuple(row[1:]) for row in rows}


def keys_of(section: str) -> list[Key]:
    """The keys of a section, in the order of the manual."""
    fragment = schema()[section]
    fragment = fragment.get("items", fragment)
    if not fragment["properties"]:
        fragment = fragment["additionalProperties"]
        fragment = fragment.get("anyOf", [fragment])
        fragment = next(one for one in fragment if one.get("properties"))
    properties = fragment["properties"]
    heading = f"`[[{section}]]`" if "items" in schema()[section] else f"`[{section}]`"
    rows = _rows(FORMAT_PAGE, heading)
    if section == "scenarios":
        rows = {**dict.fromkeys(["parameters", "initial", "start"], ("",)), **_rows(FORMAT_PAGE, "`[run]`")}
    meanings = words.MEANINGS.get(section, {})
    order = list(rows) or list(meanings)
    found = []
    for name in sorted(properties, key=lambda name: order.index(name) if name in order else len(order)):
        # Numbers of pictures are formulas, too, but nobody writes functions for them.
        holds = rows[name][0] if name in rows and section != "view" else ""
        if name in words.FORMULAS.get(section, ()):
            holds = "a formula"
        says = properties[name].get("description", meanings.get(name, ""))
        found.append(Key(name, properties[name], holds, says))
    return found


def _clauses(says: str, kinds: list[str]) -> list[tuple[list[str] | None, str]]:
    """The parts of a description, each with the kinds that it is about; none if about all of them."""
    found: list[tuple[list[str] | None, str]] = []
    for clause in re.split(r"; |\. (?=[A-Z]\w*: )", says):
        before, colon, after = clause.partition(": ")
        parts = [re.sub(r" \(.*\)$", "", part.strip()).lower() for part in before.split(",")] if colon else []
        about = [next((kind for kind in kinds if re.match(rf"{kind}\b(?!-)", part)), None) for part in parts]
        if colon and all(about):
            # "revolute" begins "revolute-spherical", which is another one.
            found.append(([str(kind) for kind in about], after))
        elif colon and parts == ["couplings"]:
            found.append((["couplings"], after))
        else:
            last = found[-1][0] if found else None
            found.append((last, clause))
    return found


def _for_kind(key: Key, kind: str, kinds: list[str]) -> Key | None:
    """A key with what it means for one kind; none if the kind does not have it."""
    clauses = _clauses(key.says, kinds)
    if all(about is None for about, _ in clauses):
        return key
    mine = [text for about, text in clauses if about is None or kind in about]
    if not any(about and kind in about for about, _ in clauses):
        return None
    return Key(key.name, key.fragment, key.holds, "; ".join(mine))


def joints() -> tuple[list[Kind], list[Kind]]:
    """Joints, and couplings of joints."""
    keys = keys_of("joints")
    by_name = {key.name: key for key in keys}
    kinds: list[str] = by_name["type"].fragment["enum"]
    first = re.search(r"from `(.*?)` on couplings", by_name["type"].says)
    start = kinds.index(first[1]) if first else len(kinds)
    rows = {
        cells[2].strip(" `"): [cell.strip() for cell in cells]
        for cells in (line.split("|") for line in MECHANISM_PAGE.read_text(encoding="utf-8").splitlines())
        if len(cells) == 9 and cells[1].strip().startswith("![")
    }
    found: tuple[list[Kind], list[Kind]] = ([], [])
    for name in kinds:
        coupling = name in kinds[start:]
        row = rows.get(name, [""] * 9)
        kind = Kind(name, words.JOINTS.get(name, row[7].replace("`", "``")))
        for key in keys:
            if key.name in ("name", "type", "of") or (key.name == "axis" and row[5] == "–"):
                continue
            if key.name in ("start", "limits") and row[6] == "–":
                # There is no coordinate that could start or end somewhere.
                continue
            mine = _for_kind(key, "couplings" if coupling and key.says.startswith("couplings") else name, kinds)
            common = mine is not None and mine.says == key.says
            if mine is None or (coupling and common and key.name != "for"):
                continue
            kind.keys.append(mine)
            scalar = "properties" not in key.fragment and key.fragment.get("type") != "boolean"
            if not common and scalar and not (name == "screw" and key.name.startswith("joint")):
                kind.required.append(key.name)
        space, plane = row[6], row[6]
        kind.coordinates = (
            [] if space.startswith("in the plane") else re.findall(r"`(.*?)`", space),
            re.findall(r"`(.*?)`", plane) if row[4] != "–" else [],
        )
        found[coupling].append(kind)
    return found


def forces() -> list[Kind]:
    """All types of forces."""
    keys = keys_of("forces")
    kinds: list[str] = next(key for key in keys if key.name == "type").fragment["enum"]
    found = []
    for name in kinds:
        kind = Kind(name, words.FORCES.get(name, f"A {name}"), required=words.REQUIRED.get(name, []))
        for key in keys:
            leader = next((other for other in keys if other.name == words.TOGETHER.get(key.name)), key)
            mine = None if key.name in ("name", "type") else _for_kind(leader, name, kinds)
            if mine is not None:
                kind.keys.append(key if leader is not key else mine)
        found.append(kind)
    return found
