"""The methods that there are, and when to use which."""

from __future__ import annotations

import json
from dataclasses import dataclass

from . import _alembert


@dataclass(frozen=True)
class Method:
    """A method: its name, what it is for, and its parameters, which are options of runs."""

    name: str
    says: str
    parameters: dict[str, str]


def methods() -> list[Method]:
    """Every method; the first is the one to try first.

    >>> import alembert as al
    >>> [method.name for method in al.methods()]
    ['radau', 'bdf', 'soi2', 'hht']
    """
    listed = json.loads(_alembert.methods())
    return [
        Method(one["name"], one["says"], {known["name"]: known["says"] for known in one["parameters"]}) for one in listed
    ]
