"""Joints that keep a point of a body somewhere.

Written by ``python/tools/generate_mechanism.py`` from the schema and the manual: change those, and run it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .core import Core

if TYPE_CHECKING:
    from .handles import Joint
    from .tables import Limits
    from .values import End, Formulas, Value, Values, Vector


class Points(Core):
    """Points on lines, planes, curves; rods."""

    def point_on_line(
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
        """The second end stays on the axis of the first. Coordinates: ``displacement``.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            start: what the closing of the mechanism holds, as {"angle": 1, "speed": 0}
            limits: smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.point_on_line("slot", lever, crank["pin"], axis="x")
        """
        return self._add_joint(
            "point on line", name, (first, second), at, {"for": for_, "axis": axis, "start": start, "limits": limits}
        )

    def point_on_plane(
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
        """The second end stays in the plane across the axis of the first. Coordinates: ``displacement x``,
        ``displacement y``.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            start: what the closing of the mechanism holds, as {"angle": 1, "speed": 0}
            limits: smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.point_on_plane("floor", "ground", foot, axis="z")
        """
        return self._add_joint(
            "point on plane", name, (first, second), at, {"for": for_, "axis": axis, "start": start, "limits": limits}
        )

    def point_on_curve(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        curve: Formulas,
        start: Mapping[str, Value] | None = None,
        limits: Limits | None = None,
        for_: str | None = None,
    ) -> Joint:
        """The second end stays on the ``curve``, in the axes of the first. Coordinates: ``parameter``.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            curve: components as formulas of the parameter s, in the axes of the first end
            start: what the closing of the mechanism holds, as {"angle": 1, "speed": 0}
            limits: smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.point_on_curve("groove", cam, follower, curve=["0.1*cos(s)", "0.1*sin(s)"])
        """
        return self._add_joint(
            "point on curve", name, (first, second), at, {"for": for_, "curve": curve, "start": start, "limits": limits}
        )

    def distance(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        length: Value,
        start: Mapping[str, Value] | None = None,
        limits: Limits | None = None,
        for_: str | None = None,
    ) -> Joint:
        """A massless rod of a ``length`` with balls at its ends. Coordinates: ``length``.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            length: of the rod
            start: what the closing of the mechanism holds, as {"angle": 1, "speed": 0}
            limits: smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.distance("tie rod", m.ground.at([0, 0.4, 0.2]), upright["steer"], length=0.3)
        """
        return self._add_joint(
            "distance", name, (first, second), at, {"for": for_, "length": length, "start": start, "limits": limits}
        )

    def revolute_spherical(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        length: Value,
        axis: Vector | Sequence[Vector] | None = None,
        start: Mapping[str, Value] | None = None,
        limits: Limits | None = None,
        for_: str | None = None,
    ) -> Joint:
        """A massless rod of a ``length``, with a hinge on the first body and a ball on the second. Coordinates:
        ``length``.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            length: of the rod
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            start: what the closing of the mechanism holds, as {"angle": 1, "speed": 0}
            limits: smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.revolute_spherical("link", crank, rod, axis="z", length=0.3)
        """
        return self._add_joint(
            "revolute-spherical",
            name,
            (first, second),
            at,
            {"for": for_, "axis": axis, "length": length, "start": start, "limits": limits},
        )
