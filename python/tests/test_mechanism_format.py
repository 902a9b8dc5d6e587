"""The methods of ``Mechanism`` are those of the format: its schema, its manual, and what the program accepts."""

from __future__ import annotations

import doctest
import inspect
import json
import re
import sys
from typing import Any

import pytest
from mechanism_program import PROJECT, mistakes

from alembert import Mechanism
from alembert._mechanism.keys import COORDINATES

sys.path.insert(0, str(PROJECT / "python" / "tools"))
import generate_mechanism  # noqa: E402
import mechanism_words  # noqa: E402

SCHEMA: dict[str, Any] = json.loads((PROJECT / "models" / "schema" / "model-1.schema.json").read_text(encoding="utf-8"))
SECTIONS = SCHEMA["properties"]
JOINTS: list[str] = SECTIONS["joints"]["items"]["properties"]["type"]["enum"]
FORCES: list[str] = SECTIONS["forces"]["items"]["properties"]["type"]["enum"]
#: Sections whose keys are names of the user, with their methods.
OPEN = {
    "parameters": ["parameter", "parameters"],
    "functions": ["function"],
    "definitions": ["definition", "definitions"],
    "states": ["state"],
    "discrete": ["discrete"],
    "inputs": ["input"],
    "initial": ["initial"],
    "exact": ["exact"],
}


def _method(kind: str) -> str:
    return re.sub(r"\W", "_", kind)


def _keys(method: str) -> set[str]:
    """The keys of the format that a method has."""
    words = list(inspect.signature(getattr(Mechanism, method)).parameters)[2:]
    keys = {word.rstrip("_") for word in words}
    if "first" in keys:
        # The one word that the format does not have: a point of the first body by components.
        keys -= {"at"}
    return (keys - {"first", "second"}) | ({"of"} if "first" in keys else set())


def test_the_files_that_are_written_are_up_to_date() -> None:
    texts = generate_mechanism.generated()
    stale = [path.name for path in texts if path.read_text(encoding="utf-8") != texts[path]]
    assert not stale, "run python/tools/generate_mechanism.py"


def test_every_kind_of_the_schema_has_a_method_with_an_example() -> None:
    for kind in [*JOINTS, *FORCES]:
        method = getattr(Mechanism, _method(kind))
        assert "Args:" in method.__doc__ and "Example:" in method.__doc__, kind


@pytest.mark.parametrize(("section", "kinds"), [("joints", JOINTS), ("forces", FORCES)])
def test_every_key_of_the_schema_is_a_keyword_of_some_kind(section: str, kinds: list[str]) -> None:
    wanted = set(SECTIONS[section]["items"]["properties"]) - {"name", "type"}
    assert set().union(*(_keys(_method(kind)) for kind in kinds)) == wanted


def test_every_key_of_drivers_is_a_keyword() -> None:
    found = {key.replace("_", " ") for key in _keys("driver") | _keys("path_driver")}
    assert found == set(SECTIONS["drivers"]["items"]["properties"]) - {"name"}


def test_every_section_of_the_schema_has_a_method() -> None:
    top = {name for name, fragment in SECTIONS.items() if "properties" not in fragment and "items" not in fragment}
    top |= {"gravity"}
    assert set(inspect.signature(Mechanism).parameters) == top - {"format"} | {"folder"}
    named = {*OPEN, *mechanism_words.SECTIONS, "joints", "forces"}
    assert set(SECTIONS) - top == named
    for section, (method, _, _) in mechanism_words.SECTIONS.items():
        assert callable(getattr(Mechanism, method))
        if section in ("drivers", "joints", "forces"):
            continue
        fragment = SECTIONS[section].get("items", SECTIONS[section])
        if not fragment["properties"]:
            fragment = next(
                one
                for one in fragment["additionalProperties"].get("anyOf", [fragment["additionalProperties"]])
                if one.get("properties")
            )
        signature = inspect.signature(getattr(Mechanism, method)).parameters
        words = {word.rstrip("_") for word in signature} - {"self", "name"}
        assert words == set(fragment["properties"]) - {"name"}, section
    assert all(callable(getattr(Mechanism, method)) for methods in OPEN.values() for method in methods)


def _told(section: str, entry: str) -> list[str]:
    """What the program says of an entry."""
    bodies = "".join(f'[[bodies]]\nname = "{name}"\nmass = 1\ninertia = 1\n' for name in "ab")
    joint = '[[joints]]\nname = "h"\ntype = "revolute"\nof = ["ground", "b"]\naxis = "z"\n'
    return mistakes(f'format = 1\n{bodies}{joint}[[{section}]]\nname = "x"\n{entry}\n[run]\nt_end = 1\n')


def _allowed(section: str, entry: str) -> set[str]:
    """The keys that the program allows in an entry, which has one that it does not."""
    told = _told(section, entry)
    found = {one.split("hint: it may have ")[1] for one in told if "hint: it may have " in one}
    assert len(found) == 1, told
    return set(found.pop().split(", "))


@pytest.mark.parametrize("kind", JOINTS)
def test_the_keywords_of_a_joint_are_what_the_program_allows(kind: str) -> None:
    odd = "pitch" if kind != "screw" else "length"
    written = f'type = "{kind}"\nof = ["ground", "a"]\naxis = ["x", "y"]\n'
    allowed = _allowed("joints", f"{written}{odd} = 1") | {"for"}
    if kind in COORDINATES:
        if not any(COORDINATES[kind]):
            # The program allows these keys to all joints, and then misses a coordinate.
            allowed -= {"start", "limits"}
        # Whether a joint may rub it says when it reads what the key holds.
        told = _told("joints", f"{written}friction = {{ mu = 0.1, radius = 0.1 }}")
        if any("has no friction" in line for line in told):
            allowed -= {"friction"}
    assert _keys(_method(kind)) == allowed


@pytest.mark.parametrize("kind", FORCES)
def test_the_keywords_of_a_force_are_what_the_program_allows(kind: str) -> None:
    two = {"torque": ['joint = "h"', 'on = "a"'], "force": ['joint = "h"', 'at = "a"']}
    forms = two.get(kind, ['of = ["a", "b"]'])
    odd = "wind = [1, 0, 0]" if kind != "drag" else "radius = 1"
    allowed = {"for"}.union(*(_allowed("forces", f'type = "{kind}"\n{form}\n{odd}') for form in forms))
    assert _keys(_method(kind)) == allowed


class _Anything:
    """What stands for bodies and joints in examples."""

    def __getattr__(self, name: str) -> _Anything:
        return _Anything()

    def __getitem__(self, name: Any) -> _Anything:
        return _Anything()

    def __call__(self, *given: Any, **named: Any) -> _Anything:
        return _Anything()


class _Recorder:
    """Calls of methods fit their signatures."""

    ground = _Anything()

    def __getattr__(self, name: str) -> Any:
        signature = inspect.signature(getattr(Mechanism, name))

        def called(*given: Any, **named: Any) -> _Anything:
            signature.bind(None, *given, **named)
            return _Anything()

        return called


class _Names(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        return _Anything()


def _examples() -> list[tuple[str, str]]:
    found = []
    for name, method in inspect.getmembers(Mechanism, inspect.isfunction):
        lines = re.findall(r"^\s*(?:>>>|\.\.\.) (.*)$", method.__doc__ or "", re.MULTILINE)
        if lines and not name.startswith("_"):
            found.append((name, "\n".join(lines)))
    return found


@pytest.mark.parametrize(("name", "code"), _examples(), ids=[name for name, _ in _examples()])
def test_examples_are_calls_that_fit(name: str, code: str) -> None:
    assert f"m.{name}(" in code
    exec(compile(code, name, "exec"), {}, _Names(m=_Recorder(), np=_Anything()))


def test_examples_of_classes_are_true() -> None:
    """Those of methods need a mechanism around them, and are looked at above."""
    from alembert._mechanism.columns import Column

    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    for kind in (Mechanism, Column):
        for test in finder.find(kind, globs={kind.__name__: kind}):
            assert test.examples and runner.run(test).failed == 0, kind
