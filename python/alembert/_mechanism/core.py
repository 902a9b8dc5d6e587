"""What all methods of a mechanism have in common: names, references, entries of the file.

Methods hand over keys and values; here values get their shapes, ends and joints are looked up, and names are kept
apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from .columns import Column, Marker, nearest
from .handles import Body, Coupling, Driver, Force, Ground, Joint, Part
from .keys import COORDINATES, KEYS
from .shapes import END, NUMBER, ListOf, Where

P = TypeVar("P", bound=Part)

#: What a name must not contain: these signs mean something in formulas and places.
_MARKS = re.compile(r"[.,;:(){}`'\"=+*/^<>\x00-\x1f]")
_INDEX = re.compile(r"(?P<stem>[^\[\]]+)(\[[^\[\]]*\])?\s*")


class Core:
    """The contents of a mechanism, and how something is added to them."""

    def __init__(self, in_plane: bool) -> None:
        #: Whether it is in the plane.
        self.in_plane = in_plane
        #: The world: an end of joints, ``m.ground.at([0.3, 0])`` is a point of it.
        self.ground = Ground(self)
        self._sections: dict[str, Any] = {}
        self._parts: dict[str, Part] = {}
        # Entries that the file repeats, and all that have an index, by their names without it.
        self._repeated: dict[str, Part] = {}
        self._indexed: dict[str, Part] = {}

    # Values

    def _accepted(self, section: str, element: str, key: str, value: Any) -> Any:
        """A value of a key as it stands in the file."""
        return KEYS[section][key].accept(value, Where(self, element, key))

    def _filled(self, section: str, element: str, keys: Mapping[str, Any]) -> dict[str, Any]:
        """The keys that are given, as they stand in the file."""
        return {
            key: self._accepted(section, element, key, value) for key, value in keys.items() if value is not None
        }

    def _vector(self, element: str, key: str, value: Any) -> list[Any]:
        """Components of a place."""
        found: list[Any] = ListOf(NUMBER).accept(value, Where(self, element, key))
        return found

    # Names

    def _name(self, name: Any, element: str) -> str:
        """A name that an element may have."""
        if not isinstance(name, str):
            raise TypeError(f"the name of a {element} must be text, not {name!r}")
        if name.strip() == "ground":
            raise ValueError(f"a {element} cannot be called `ground`, which is the world: choose another name")
        if _MARKS.search(name.split("[")[0]) or not _INDEX.fullmatch(name) or name != name.strip():
            raise ValueError(
                f"`{name}` cannot be used as the name of a {element}: "
                "use letters, digits, `_` and blanks, and an index as link[3]"
            )
        return str(name)

    def _free(self, name: str, element: str) -> None:
        known = self._parts.get(name)
        if known is not None:
            raise ValueError(
                f"{element} `{name}`: there is a {known.what} of this name already: "
                "names tell bodies, joints, forces and drivers apart, choose another one"
            )

    def _all(self, kind: type[P]) -> dict[str, P]:
        return {name: part for name, part in self._parts.items() if isinstance(part, kind)}

    def _found(self, kind: type[P], name: str, element: str) -> P:
        """The body or joint of a name; an index that is a formula stands for any."""
        part = self._parts.get(name)
        if part is None and "[" in name:
            stem, index = name.split("[", 1)
            known = self._repeated if index.rstrip("] ").isdecimal() else self._indexed
            part = known.get(stem.strip())
        if isinstance(part, kind):
            return part
        if part is not None:
            raise ValueError(f"{element}: `{name}` is a {part.what}, not a {kind.what}")
        raise ValueError(f"{element}: unknown {kind.what} `{name}`: {nearest(name, self._all(kind))}")

    def _own(self, part: Part, element: str) -> str:
        """The name of a part that was given itself."""
        if part._owner is not self:
            raise ValueError(f"{element}: the {part.what} `{part.name}` belongs to another mechanism")
        return part.name

    # References

    def _place(self, end: str | Body | Ground, element: str) -> str:
        """An end of a joint as it is written."""
        if isinstance(end, Body):
            return self._own(end, element)
        if isinstance(end, Ground):
            return end.name
        place = end.place if isinstance(end, Marker) else end.strip()
        if re.match(r"ground\s*(\(|$)", place):
            return place
        # An index may contain points of its own, as link[0.5*i].
        dot = place.find(".", place.rfind("]") + 1)
        name, point = (place, None) if dot < 0 else (place[:dot], place[dot + 1 :].strip())
        body = self._found(Body, name, element)
        if point is not None and point not in body.points:
            raise ValueError(f"{element}: the body `{name}` has no point `{point}`: {nearest(point, body.points)}")
        return place

    def _ends(self, ends: Sequence[Any], at: Any, element: str) -> list[str]:
        """Both ends of a joint; with ``at`` the first is a point of its body by components."""
        first, second = ends
        if at is not None:
            body = self._body_of(first, element)
            first = body.at(at)
        return [END.accept(end, Where(self, element, word)) for word, end in (("first", first), ("second", second))]

    def _body_of(self, end: Any, element: str) -> Body | Ground:
        """The body that a point by components is on."""
        if isinstance(end, (Body, Ground)):
            return end
        if isinstance(end, str) and not isinstance(end, Marker):
            if end.strip() == "ground":
                return self.ground
            if "." not in end and "(" not in end:
                return self._found(Body, end, element)
        raise ValueError(f"{element}: `at` is a point of the first body, and {end!r} is no body: leave out one of them")

    def _joint_name(self, joint: str | Joint, element: str) -> str:
        """A joint as it is written, perhaps with one of its coordinates."""
        if isinstance(joint, Joint):
            return self._own(joint, element)
        written = joint.column if isinstance(joint, Column) else joint.strip()
        dot = written.find(".", written.rfind("]") + 1)
        self._found(Joint, written if dot < 0 else written[:dot], element)
        return written

    # Entries

    def _entry(
        self, section: str, kind: str, name: str, fixed: Mapping[str, Any], keys: Mapping[str, Any]
    ) -> dict[str, Any]:
        """An entry of a section that stands several times, after a look at its name."""
        name = self._name(name, kind)
        if keys.get("for") is None:
            self._free(name, kind)
        filled = self._filled(section, f"{kind} `{name}`", keys)
        given = {"name": name, **fixed, **filled}
        return {key: given[key] for key in KEYS[section] if key in given}

    def _put(self, section: str, part: P) -> P:
        self._sections.setdefault(section, []).append(part._entry)
        stem = part.name.split("[")[0].strip()
        if "for" in part._entry:
            self._repeated[stem] = part
        else:
            self._parts[part.name] = part
        if stem != part.name:
            self._indexed[stem] = part
        return part

    def _read(self, sections: dict[str, Any]) -> None:
        """Takes over the sections of a file, which its program has looked at or will."""
        parts = {"bodies": Body, "drivers": Driver, "forces": Force}
        for section, entries in sections.items():
            if section == "joints":
                for entry in entries:
                    self._put(section, self._joint_of(entry))
            elif section in parts:
                for entry in entries:
                    self._put(section, parts[section](self, entry["name"], entry.get("type", section), entry))
            else:
                self._sections[section] = entries

    def _joint_of(self, entry: dict[str, Any]) -> Part:
        kind = entry["type"]
        if kind not in COORDINATES:
            return Coupling(self, entry["name"], kind, entry)
        return Joint(self, entry["name"], kind, entry, COORDINATES[kind][self.in_plane])

    def _add_body(self, name: str, keys: Mapping[str, Any]) -> Body:
        entry = self._entry("bodies", "body", name, {}, keys)
        return self._put("bodies", Body(self, entry["name"], "body", entry))

    def _add_joint(self, kind: str, name: str, ends: Sequence[Any], at: Any, keys: Mapping[str, Any]) -> Joint:
        entry = self._entry("joints", kind, name, {"type": kind, "of": None}, keys)
        entry["of"] = self._ends(ends, at, f"{kind} `{entry['name']}`")
        return self._put("joints", Joint(self, entry["name"], kind, entry, COORDINATES[kind][self.in_plane]))

    def _add_coupling(self, kind: str, name: str, keys: Mapping[str, Any]) -> Coupling:
        entry = self._entry("joints", kind, name, {"type": kind}, keys)
        return self._put("joints", Coupling(self, entry["name"], kind, entry))

    def _add_force(self, kind: str, name: str, ends: Sequence[Any] | None, keys: Mapping[str, Any]) -> Force:
        fixed: dict[str, Any] = {"type": kind}
        if ends is not None:
            fixed["of"] = None
        entry = self._entry("forces", kind, name, fixed, keys)
        if ends is not None:
            entry["of"] = self._ends(ends, None, f"{kind} `{entry['name']}`")
        return self._put("forces", Force(self, entry["name"], kind, entry))

    def _add_driver(self, name: str, ends: Sequence[Any] | None, keys: Mapping[str, Any]) -> Driver:
        entry = self._entry("drivers", "driver", name, {} if ends is None else {"of": None}, keys)
        if ends is not None:
            entry["of"] = self._ends(ends, None, f"driver `{entry['name']}`")
        return self._put("drivers", Driver(self, entry["name"], "driver", entry))

    def _add_named(self, section: str, what: str, name: str, value: Any) -> str:
        """A value under a name that the user has chosen."""
        if not isinstance(name, str) or not name.strip():
            raise TypeError(f"the name of a {what} must be text, not {name!r}")
        known = self._sections.setdefault(section, {})
        if name in known:
            raise ValueError(f"there is a {what} of the name `{name}` already: choose another name")
        known[str(name)] = value
        return str(name)

    def _update(self, section: str, keys: Mapping[str, Any]) -> None:
        """Keys of a section that stands once; those that are there already get the new value."""
        filled = self._filled(section, section, keys)
        known = {**self._sections.get(section, {}), **filled}
        self._sections[section] = {key: known[key] for key in KEYS[section] if key in known}

    def _add_settings(self, keys: Mapping[str, Any]) -> None:
        self._update("run", keys)

    def _add_start(self, keys: Mapping[str, Any]) -> None:
        self._update("start", keys)

    def _add_variables(self, keys: Mapping[str, Any]) -> None:
        self._update("variables", keys)

    def _add_equations(self, keys: Mapping[str, Any]) -> None:
        self._update("equations", keys)

    def _add_scenario(self, name: str, keys: Mapping[str, Any]) -> None:
        self._add_named("scenarios", "scenario", name, self._filled("scenarios", f"scenario `{name}`", keys))

    def _add_table(self, name: str, keys: Mapping[str, Any]) -> str:
        return self._add_named("tables", "table", name, self._filled("tables", f"table `{name}`", keys))

    def _add_result(self, name: str, keys: Mapping[str, Any]) -> str:
        return self._add_named("results", "result", name, self._filled("results", f"result `{name}`", keys))

    def _add_output(self, name: str, keys: Mapping[str, Any]) -> str:
        filled = self._filled("outputs", f"output `{name}`", keys)
        return self._add_named("outputs", "output", name, filled["formula"] if [*filled] == ["formula"] else filled)

    def _add_event(self, name: str, keys: Mapping[str, Any]) -> str:
        if not isinstance(name, str):
            raise TypeError(f"the name of an event must be text, not {name!r}")
        events = self._sections.setdefault("events", [])
        if any(event["name"] == name for event in events):
            raise ValueError(f"there is an event of the name `{name}` already: choose another name")
        events.append({"name": str(name), **self._filled("events", f"event `{name}`", keys)})
        return str(name)

    def _add_view(self, name: Any, keys: Mapping[str, Any]) -> None:
        if not isinstance(name, (str, Part)):
            raise TypeError(f"what is drawn must be a body, joint or force, or a name, not {name!r}")
        word = self._own(name, "view") if isinstance(name, Part) else str(name)
        figure = self._filled("view", f"view `{word}`", keys)
        view = self._sections.setdefault("view", {})
        if word not in view:
            view[word] = figure
        elif isinstance(view[word], list):
            view[word].append(figure)
        else:
            view[word] = [view[word], figure]


def counted(words: Iterable[tuple[str, str, int]]) -> str:
    """Numbers of things in words: ``3 bodies, 1 joint``."""
    return ", ".join(f"{count} {one if count == 1 else many}" for one, many, count in words if count)
