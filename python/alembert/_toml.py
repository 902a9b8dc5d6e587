"""Writes model files: the part of TOML that they are made of.

Values are text, numbers, booleans, lists and tables. Tables of the top level become sections, lists of tables become
``[[sections]]``; below that everything stands on the line of its key, or one entry a line where it would not fit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

#: Longest line before the entries of a list get lines of their own.
WIDTH = 120

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}


def key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else text(name)


def text(value: str) -> str:
    """A string in quotes."""
    escaped = (_ESCAPES.get(letter) or (f"\\u{ord(letter):04x}" if ord(letter) < 32 or ord(letter) == 127 else letter) for letter in value)
    return '"' + "".join(escaped) + '"'


def number(value: float) -> str:
    """A number with the fewest digits that read back to the same bits."""
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"model files have finite numbers, not {value}")
    return repr(value)


def inline(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        entries = ", ".join(f"{key(name)} = {inline(entry)}" for name, entry in value.items())
        return f"{{ {entries} }}" if entries else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(inline(entry) for entry in value) + "]"
    # NumPy's own numbers and arrays know how to become Python's.
    plain = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(plain, (bool, int, list, str)):
        return inline(plain)
    if isinstance(plain, float):
        return number(plain)
    raise TypeError(f"a {type(value).__name__} cannot stand in a model file: {value!r}")


def _entry(name: str, value: Any) -> str:
    line = f"{key(name)} = {inline(value)}"
    if len(line) <= WIDTH or not isinstance(value, (list, tuple)):
        return line
    return "\n".join([f"{key(name)} = [", *(f"    {inline(entry)}," for entry in value), "]"])


def _is_section(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_sections(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(entry, Mapping) for entry in value)


def dumps(document: Mapping[str, Any]) -> str:
    """The text of a document: entries of its own first, then its sections in their order."""
    lines = [_entry(name, value) for name, value in document.items() if not (_is_section(value) or _is_sections(value))]
    for name, value in document.items():
        if _is_section(value):
            lines += ["", f"[{key(name)}]", *(_entry(*entry) for entry in value.items())]
        elif _is_sections(value):
            for table in value:
                lines += ["", f"[[{key(name)}]]", *(_entry(*entry) for entry in table.items())]
    return "\n".join(lines) + "\n"
