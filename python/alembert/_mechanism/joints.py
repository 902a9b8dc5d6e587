"""Joints between two bodies that hold them together.

Written by ``python/tools/generate_mechanism.py`` from the schema and the manual: change those, and run it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .core import Core

if TYPE_CHECKING:
    from .handles import Joint
    from .tables import Friction, Limits
    from .values import End, Value, Values, Vector


class Joints(Core):
    """Hinges, guides, balls, welds."""

    def revolute(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        axis: Vector | Sequence[Vector] | None = None,
        start: Mapping[str, Value] | None = None,
        friction: Friction | None = None,
        limits: Limits | None = None,
        for_: str | None = None,
    ) -> Joint:
        """A hinge: ends together, one axis in common. Coordinates: ``angle``.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            start: what the closing of the mechanism holds, as {"angle": 1, "speed": 0}
            friction: grows with what the joint carries, as {"mu": 0.1, "radius": 0.01}
            limits: smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.revolute("A", crank["A"], rod, axis="z", start={"angle": "60*deg", "speed": 12})
        """
        return self._add_joint(
            "revolute",
            name,
            (first, second),
            at,
            {"for": for_, "axis": axis, "start": start, "friction": friction, "limits": limits},
        )

    def spherical(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        start: Mapping[str, Value] | None = None,
        friction: Friction | None = None,
        limits: Limits | None = None,
        for_: str | None = None,
    ) -> Joint:
        """A ball: ends together. Coordinates: ``angle``.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            start: what the closing of the mechanism holds, as {"angle": 1, "speed": 0}
            friction: grows with what the joint carries, as {"mu": 0.1, "radius": 0.01}
            limits: smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.spherical("ball", "ground", rod)
        """
        return self._add_joint(
            "spherical",
            name,
            (first, second),
            at,
            {"for": for_, "start": start, "friction": friction, "limits": limits},
        )

    def prismatic(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        axis: Vector | Sequence[Vector] | None = None,
        start: Mapping[str, Value] | None = None,
        friction: Friction | None = None,
        limits: Limits | None = None,
        for_: str | None = None,
    ) -> Joint:
        """A guide: slides along the axis and does not turn. Coordinates: ``displacement``.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            start: what the closing of the mechanism holds, as {"angle": 1, "speed": 0}
            friction: grows with what the joint carries, as {"mu": 0.1, "radius": 0.01}
            limits: smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.prismatic("guide", "ground", piston, axis="x", start={"displacement": 0.1})
        """
        return self._add_joint(
            "prismatic",
            name,
            (first, second),
            at,
            {"for": for_, "axis": axis, "start": start, "friction": friction, "limits": limits},
        )

    def cylindrical(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        axis: Vector | Sequence[Vector] | None = None,
        start: Mapping[str, Value] | None = None,
        friction: Friction | None = None,
        limits: Limits | None = None,
        for_: str | None = None,
    ) -> Joint:
        """A shaft in a sleeve: slides and turns. Coordinates: ``angle``, ``displacement``.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            start: what the closing of the mechanism holds, as {"angle": 1, "speed": 0}
            friction: grows with what the joint carries, as {"mu": 0.1, "radius": 0.01}
            limits: smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.cylindrical("nut", spindle, platform, axis="z")
        """
        return self._add_joint(
            "cylindrical",
            name,
            (first, second),
            at,
            {"for": for_, "axis": axis, "start": start, "friction": friction, "limits": limits},
        )

    def universal(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        axis: Vector | Sequence[Vector] | None = None,
        start: Mapping[str, Value] | None = None,
        limits: Limits | None = None,
        for_: str | None = None,
    ) -> Joint:
        """A Hooke joint: ends together, the arms perpendicular. Coordinates: ``first angle``, ``second angle``.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            start: what the closing of the mechanism holds, as {"angle": 1, "speed": 0}
            limits: smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.universal("hooke", shaft["end"], other, axis=["y", "z"])
        """
        return self._add_joint(
            "universal", name, (first, second), at, {"for": for_, "axis": axis, "start": start, "limits": limits}
        )

    def planar(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        axis: Vector | Sequence[Vector] | None = None,
        start: Mapping[str, Value] | None = None,
        friction: Friction | None = None,
        limits: Limits | None = None,
        for_: str | None = None,
    ) -> Joint:
        """A table: the second end stays in the plane of the first and turns about its normal. Coordinates:
        ``displacement x``, ``displacement y``, ``angle``.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            start: what the closing of the mechanism holds, as {"angle": 1, "speed": 0}
            friction: grows with what the joint carries, as {"mu": 0.1, "radius": 0.01}
            limits: smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.planar("table", "ground", puck, axis="z")
        """
        return self._add_joint(
            "planar",
            name,
            (first, second),
            at,
            {"for": for_, "axis": axis, "start": start, "friction": friction, "limits": limits},
        )

    def fixed(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        keep: bool | None = None,
        for_: str | None = None,
    ) -> Joint:
        """A weld: the axes of both bodies stay parallel, ends together.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            keep: whether its bodies stay two, so that results have its reaction; false if omitted, and true where
                formulas speak of its force or torque
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.fixed("weld", arm["tip"], tool, keep=True)
        """
        return self._add_joint("fixed", name, (first, second), at, {"for": for_, "keep": keep})

    def constant_velocity(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        axis: Vector | Sequence[Vector] | None = None,
        for_: str | None = None,
    ) -> Joint:
        """Bends but does not twist: both shafts turn equally fast.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.constant_velocity("joint", shaft["end"], other, axis="x")
        """
        return self._add_joint("constant velocity", name, (first, second), at, {"for": for_, "axis": axis})
