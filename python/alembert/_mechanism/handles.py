"""What the methods of a mechanism return: bodies, joints, forces and drivers, with the names of their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .columns import Column, Marker, nearest, written

if TYPE_CHECKING:
    from .core import Core
    from .values import Values, Vector


class Part:
    """What has a name in a mechanism."""

    #: What it is, in words.
    what = "part"

    def __init__(self, owner: Core, name: str, kind: str, entry: dict[str, Any]) -> None:
        self._owner = owner
        self._entry = entry
        #: As it was given.
        self.name = name
        #: Its type in the file.
        self.kind = kind

    def __str__(self) -> str:
        return written(self.name)

    def __repr__(self) -> str:
        return f"<{self.kind} `{self.name}`>"

    def _column(self, field: str) -> Column:
        return Column(f"{written(self.name)}.{field}")


class Ground:
    """The world, which does not move."""

    name = "ground"

    def __init__(self, owner: Core) -> None:
        self._owner = owner

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return "<ground>"

    def at(self, place: Values) -> Marker:
        """A point of the ground by its coordinates, which may be formulas of parameters.

        >>> m.ground.at(["base", 0])
        Marker("ground(base, 0)")
        """
        values = self._owner._vector("ground", "at", place)
        return Marker(f"ground({', '.join(str(value) for value in values)})")


class Body(Part):
    """A body. ``body["A"]`` is a point of it; its other attributes are formulas and names of results."""

    what = "body"

    @property
    def points(self) -> list[str]:
        """Names of its points and frames."""
        return [*self._entry.get("points", {}), *self._entry.get("frames", {})]

    def __getitem__(self, point: str) -> Marker:
        if point not in self.points:
            raise ValueError(f"the body `{self.name}` has no point `{point}`: {nearest(point, self.points)}")
        return Marker(f"{written(self.name)}.{point}")

    def _new(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"body `{self.name}`: the name of a point must be text, not {name!r}")
        if name in self.points:
            raise ValueError(f"the body `{self.name}` has a point `{name}` already: choose another name")

    def point(self, name: str, place: Vector) -> Marker:
        """Adds a point, from the drawing origin in body axes.

        >>> tip = rod.point("tip", ["l", 0])
        """
        self._new(name)
        value = self._owner._accepted("bodies", f"body `{self.name}`", "points", {name: place})
        self._entry.setdefault("points", {}).update(value)
        return self[name]

    def frame(
        self, name: str, *, at: Values | None = None, z: Vector | None = None, x: Vector | None = None
    ) -> Marker:
        """Adds a point with axes of its own: ``z`` is the axis of joints there, ``x`` is made perpendicular to it.

        >>> pin = rod.frame("pin", at=[0.1, 0, 0], z="x")
        """
        self._new(name)
        keys = {key: value for key, value in (("at", at), ("z", z), ("x", x)) if value is not None}
        value = self._owner._accepted("bodies", f"body `{self.name}`", "frames", {name: keys})
        self._entry.setdefault("frames", {}).update(value)
        return self[name]

    def at(self, place: Values) -> Marker:
        """A point by its components in body axes, which gets a name of its own: ``P1``, ``P2``, …

        >>> m.revolute("A", crank.at([0.1, 0]), rod)
        """
        values = self._owner._vector(f"body `{self.name}`", "at", place)
        for name, known in self._entry.get("points", {}).items():
            if known == values:
                return self[name]
        number = 1
        while f"P{number}" in self.points:
            number += 1
        return self.point(f"P{number}", values)

    @property
    def x(self) -> Column:
        """Where its drawing origin is, along x."""
        return self._column("x")

    @property
    def y(self) -> Column:
        """Where its drawing origin is, along y."""
        return self._column("y")

    @property
    def z(self) -> Column:
        """Where its drawing origin is, along z."""
        return self._column("z")

    @property
    def position(self) -> Column:
        """Where its drawing origin is, a triple."""
        return self._column("position")

    @property
    def centre(self) -> Column:
        """Where its centre of mass is, a triple. Columns of results are of this point: ``body.centre.x``."""
        return self._column("centre")

    @property
    def group(self) -> Column:
        """The centre of mass of all that is welded to it, a triple."""
        return self._column("group")

    @property
    def angle(self) -> Column:
        """How it is turned, in the plane."""
        if not self._owner.in_plane:
            raise AttributeError(
                f"the body `{self.name}` is in space and has no angle: take `R`, `omega`, or the angle of a joint"
            )
        return self._column("angle")

    @property
    def omega(self) -> Column:
        """Its angular velocity in body axes, a triple."""
        return self._column("omega")

    @property
    def R(self) -> Column:
        """How it is turned, in space: a rotation."""
        if self._owner.in_plane:
            raise AttributeError(f"the body `{self.name}` is in the plane and has no rotation: take `angle`")
        return self._column("R")


class Joint(Part):
    """A joint between two bodies. Its coordinates and reactions are those of the second body relative to the first."""

    what = "joint"

    def __init__(self, owner: Core, name: str, kind: str, entry: dict[str, Any], coordinates: Sequence[str]) -> None:
        super().__init__(owner, name, kind, entry)
        #: Names of its coordinates.
        self.coordinates = tuple(coordinates)

    def _coordinate(self, word: str) -> Column:
        if word not in self.coordinates:
            has = ", ".join(self.coordinates) or "no coordinates"
            raise AttributeError(f"the joint `{self.name}` has no {word}: a {self.kind} joint has {has}")
        return self._column(word.replace(" ", "_"))

    @property
    def angle(self) -> Column:
        """Its angle."""
        return self._coordinate("angle")

    @property
    def displacement(self) -> Column:
        """Its displacement along its axis."""
        return self._coordinate("displacement")

    @property
    def length(self) -> Column:
        """The distance of its ends."""
        return self._coordinate("length")

    @property
    def first_angle(self) -> Column:
        """The angle of a universal joint about its first arm."""
        return self._coordinate("first angle")

    @property
    def second_angle(self) -> Column:
        """The angle of a universal joint about its second arm."""
        return self._coordinate("second angle")

    @property
    def displacement_x(self) -> Column:
        """The displacement in a plane along x."""
        return self._coordinate("displacement x")

    @property
    def displacement_y(self) -> Column:
        """The displacement in a plane along y."""
        return self._coordinate("displacement y")

    @property
    def parameter(self) -> Column:
        """Where on its curve a point is: a column of results, not for formulas."""
        return self._coordinate("parameter")

    @property
    def force(self) -> Column:
        """The size of its force on the second body; components along the axes of the first end: ``force.x``, …"""
        return self._column("force")

    @property
    def torque(self) -> Column:
        """The size of its torque on the second body; components along the axes of the first end: ``torque.x``, …"""
        return self._column("torque")

    @property
    def world_force(self) -> Column:
        """Its force on the second body along the axes of the world, a triple."""
        return self._column("world_force")

    @property
    def world_torque(self) -> Column:
        """Its torque on the second body along the axes of the world, a triple."""
        return self._column("world_torque")


class Coupling(Part):
    """A gear, belt, rack, screw or other coupling of joints. It has no results of its own."""

    what = "coupling"


class Force(Part):
    """A force or a torque."""

    what = "force"

    @property
    def value(self) -> Column:
        """What its law comes to."""
        return self._column("value")


class Driver(Part):
    """What moves a coordinate of a joint, or leads a point."""

    what = "driver"

    @property
    def torque(self) -> Column:
        """What it does along the angle that it drives."""
        return self._column("torque")

    @property
    def force(self) -> Column:
        """What it does along the displacement or length that it drives."""
        return self._column("force")
