"""Bodies and drivers.

Written by ``python/tools/generate_mechanism.py`` from the schema and the manual: change those, and run it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .core import Core

if TYPE_CHECKING:
    from .handles import Body, Driver
    from .tables import Frame, Pose, Solid, Velocity
    from .values import End, Formula, Formulas, JointName, Value, Values, Vector


class Bodies(Core):
    """Bodies, and what moves them."""

    def body(
        self,
        name: str,
        *,
        mass: Value | None = None,
        inertia: Value | Values | None = None,
        solid: Solid | Sequence[Solid] | None = None,
        centre: Values | None = None,
        pose: Pose | None = None,
        velocity: Velocity | None = None,
        points: Mapping[str, Vector] | None = None,
        frames: Mapping[str, Frame] | None = None,
        for_: str | None = None,
    ) -> Body:
        """A body: its mass properties, its points, and roughly where it is.

        Args:
            mass: its mass; with `solid` the density is scaled to it
            inertia: about the centre of mass in body axes: one number for all axes, three, or six (xx, yy, zz, xy, xz,
                yz, entries of the matrix); in the plane one. 0 makes it a point mass, which does not turn. With `solid`
                it overrides
            solid: instead of mass and inertia: a solid, or a list of them
            centre: the centre of mass from the drawing origin; the origin, or that of the solids, if omitted
            pose: where it is at the start, roughly; joints find a place for a body without one
            velocity: how it moves at the start, roughly
            points: points by name, from the drawing origin in body axes
            frames: points with axes, by name
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> rod = m.body("rod", solid={"bar": {"length": "l"}, "mass": 2, "at": ["l/2", 0]}, points={"B": ["l", 0]})
        """
        return self._add_body(
            name,
            {
                "for": for_, "mass": mass, "inertia": inertia, "solid": solid, "centre": centre, "pose": pose,
                "velocity": velocity, "points": points, "frames": frames,
            },
        )

    def driver(
        self,
        name: str,
        joint: JointName,
        *,
        angle: Formula | None = None,
        displacement: Formula | None = None,
        length: Formula | None = None,
        first_angle: Formula | None = None,
        second_angle: Formula | None = None,
        displacement_x: Formula | None = None,
        displacement_y: Formula | None = None,
        parameter: Formula | None = None,
        speed: Formula | None = None,
        coordinate: str | None = None,
        for_: str | None = None,
    ) -> Driver:
        """Makes a coordinate of a joint what a formula says, by whatever force that takes.

        Args:
            joint: the joint of which a coordinate is driven
            angle: the angle as a formula of t
            displacement: the displacement as a formula of t
            length: the length as a formula of t, in the place of the constant one of a rod
            first_angle: universal: the first angle as a formula of t
            second_angle: universal: the second angle as a formula of t
            displacement_x: planar, point on plane: the displacement along x as a formula of t
            displacement_y: planar, point on plane: the displacement along y as a formula of t
            parameter: point on curve: the parameter of the curve as a formula of t
            speed: instead of a coordinate: its rate as a formula of t
            coordinate: of which coordinate `speed` is the rate, for a joint with several
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.driver("motor", shaft, angle="2*pi*n*t")
        """
        return self._add_driver(
            name,
            None,
            {
                "for": for_, "joint": joint, "angle": angle, "displacement": displacement, "length": length,
                "first angle": first_angle, "second angle": second_angle, "displacement x": displacement_x,
                "displacement y": displacement_y, "parameter": parameter, "speed": speed, "coordinate": coordinate,
            },
        )

    def path_driver(self, name: str, first: End, second: End, path: Formulas, *, for_: str | None = None) -> Driver:
        """Leads the second end along a path from the first, by whatever force that takes.

        Args:
            first, second: ends as of joints: what the file has under `of`
            path: the way from the first end to the second as formulas of t, in the axes of the world
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.path_driver("hand", "ground", arm["tip"], path=["0.5 + 0.1*cos(t)", "0.1*sin(t)"])
        """
        return self._add_driver(name, (first, second), {"for": for_, "path": path})
