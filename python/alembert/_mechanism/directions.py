"""Joints that keep directions, and wheels.

Written by ``python/tools/generate_mechanism.py`` from the schema and the manual: change those, and run it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .core import Core

if TYPE_CHECKING:
    from .handles import Joint
    from .tables import Limits
    from .values import End, Value, Values, Vector


class Directions(Core):
    """Parallel axes, wheels, knife edges."""

    def parallel(
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
        """Axes stay parallel; ends are free. Coordinates: ``angle``.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            start: what the closing of the mechanism holds, as {"angle": 1, "speed": 0}
            limits: smooth stops of a coordinate, as {"min": 0, "max": 1, "stiffness": 1e5}
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.parallel("level", "ground", tray, axis="z")
        """
        return self._add_joint(
            "parallel", name, (first, second), at, {"for": for_, "axis": axis, "start": start, "limits": limits}
        )

    def perpendicular(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        axis: Vector | Sequence[Vector] | None = None,
        for_: str | None = None,
    ) -> Joint:
        """Axes stay perpendicular; ends are free.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.perpendicular("square", "ground", tray, axis=["z", "x"])
        """
        return self._add_joint("perpendicular", name, (first, second), at, {"for": for_, "axis": axis})

    def orientation(
        self, name: str, first: End, second: End, *, at: Values | None = None, for_: str | None = None
    ) -> Joint:
        """No turn relative to each other; ends are free.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.orientation("upright", "ground", tray)
        """
        return self._add_joint("orientation", name, (first, second), at, {"for": for_})

    def rolling_disk(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        radius: Value,
        axis: Vector | Sequence[Vector] | None = None,
        for_: str | None = None,
    ) -> Joint:
        """A disk of a ``radius`` touches the plane through the first end and rolls without slipping; the second end is
        its centre.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            radius: of the wheel
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.rolling_disk("road", "ground", wheel, axis=["z", "y"], radius=0.3)
        """
        return self._add_joint("rolling disk", name, (first, second), at, {"for": for_, "axis": axis, "radius": radius})

    def rolling_sphere(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        radius: Value,
        axis: Vector | Sequence[Vector] | None = None,
        for_: str | None = None,
    ) -> Joint:
        """A ball of a ``radius`` touches the plane through the first end and rolls without slipping; the second end is
        its centre.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            radius: of the wheel
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.rolling_sphere("table", "ground", ball, axis="z", radius=0.1)
        """
        return self._add_joint(
            "rolling sphere", name, (first, second), at, {"for": for_, "axis": axis, "radius": radius}
        )

    def knife_edge(
        self,
        name: str,
        first: End,
        second: End,
        *,
        at: Values | None = None,
        axis: Vector | Sequence[Vector] | None = None,
        for_: str | None = None,
    ) -> Joint:
        """The second end does not move across its edge, seen from the first.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            axis: "x", "-y" or a vector, in the axes of each body; a list of two where they differ
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"
            at: a point of the first body by its components, where that is given without one

        Example:
            >>> m.knife_edge("blade", "ground", sleigh["blade"], axis="x")
        """
        return self._add_joint("knife edge", name, (first, second), at, {"for": for_, "axis": axis})
