"""Names of variables and parameters: which can stand in formulas, and which are still free."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Union

#: Words that mean something else in formulas.
RESERVED = frozenset(
    "t pi sum for in and or not sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max".split()
)


def checked(name: object, what: str) -> str:
    """A name that can stand in a formula."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a {what} must be text, not {name!r}")
    if not name.isidentifier():
        raise ValueError(f"`{name}` cannot be the name of a {what}; use letters, digits and _, a letter first")
    if name in RESERVED:
        raise ValueError(f"`{name}` has a meaning of its own in formulas; choose another name for the {what}")
    return name


def listed(given: Union[int, Sequence[str], None], count: int, stem: str, what: str) -> list[str]:
    """Names of so many things: those that are given, or q0, q1, …"""
    if given is None:
        return [f"{stem}{i}" for i in range(count)]
    if isinstance(given, int):
        if given != count:
            raise ValueError(f"there should be {given} of {stem}, and the start has {count}")
        return [f"{stem}{i}" for i in range(count)]
    names = [checked(name, what) for name in given]
    if len(names) != count:
        raise ValueError(f"there are {len(names)} names for {count} of {stem}: {', '.join(names)}")
    return names


def different(names: Iterable[str]) -> None:
    """Refuses names that are given twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"`{name}` is the name of two things; choose another name for one of them")
        seen.add(name)


def multipliers(stem: str, count: int, taken: Collection[str]) -> list[str]:
    """Names of multipliers as model files have them, lambda1, lambda2, …, or others if one of these is taken."""
    while any(f"{stem}{i + 1}" in taken for i in range(count)):
        stem += "_"
    return [f"{stem}{i + 1}" for i in range(count)]
