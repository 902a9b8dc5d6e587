"""Forces.

Written by ``python/tools/generate_mechanism.py`` from the schema and the manual: change those, and run it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from .core import Core

if TYPE_CHECKING:
    from .handles import Force
    from .values import BodyName, End, Formula, Formulas, JointName, Value, Values, Vector


class Forces(Core):
    """Springs, motors, contacts, loads."""

    def spring(
        self,
        name: str,
        first: End,
        second: End,
        *,
        law: Formula | None = None,
        stiffness: Value | Values | None = None,
        damping: Value | Values | None = None,
        rest: Value | None = None,
        for_: str | None = None,
    ) -> Force:
        """A spring, or a damper, along the line between two ends.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            law: the pull as a formula of everything and of `length`, `length'`
            stiffness: in N/m; with `rest`
            damping: in N s/m; 0 if omitted
            rest: the length without force
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.spring("strut", m.ground.at([0, 1]), rod["eye"], stiffness=2e4, damping=300, rest=0.5)
        """
        return self._add_force(
            "spring",
            name,
            (first, second),
            {"for": for_, "law": law, "stiffness": stiffness, "damping": damping, "rest": rest},
        )

    def torsion(
        self,
        name: str,
        joint: JointName,
        *,
        coordinate: str | None = None,
        law: Formula | None = None,
        stiffness: Value | Values | None = None,
        damping: Value | Values | None = None,
        rest: Value | None = None,
        for_: str | None = None,
    ) -> Force:
        """A spring against the angle of a joint.

        Args:
            joint: the joint it acts on
            coordinate: which coordinate of a joint with several
            law: the torque against `angle`, `angle'`
            stiffness: in N m/rad
            damping: in N m s/rad; 0 if omitted
            rest: the angle without torque, 0 if omitted
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.torsion("stiff", hinge, stiffness=0.4, damping=0.1)
        """
        return self._add_force(
            "torsion",
            name,
            None,
            {
                "for": for_, "joint": joint, "coordinate": coordinate, "law": law, "stiffness": stiffness,
                "damping": damping, "rest": rest,
            },
        )

    def torque(
        self,
        name: str,
        *,
        joint: JointName | None = None,
        coordinate: str | None = None,
        law: Formula | None = None,
        on: BodyName | None = None,
        torque: Formula | Formulas | None = None,
        axes: Literal["world", "body"] | None = None,
        for_: str | None = None,
    ) -> Force:
        """A torque on the angle of a joint by a ``law``, or on a body.

        Args:
            joint: the joint it acts on
            coordinate: which coordinate of a joint with several
            law: what makes its coordinate grow
            on: the body that it acts on
            torque: its components as formulas of everything; in the plane one
            axes: the axes of the components, `world` if omitted
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.torque("brake", joint=shaft, law="-0.1*angle'")
        """
        return self._add_force(
            "torque",
            name,
            None,
            {
                "for": for_, "joint": joint, "coordinate": coordinate, "law": law, "on": on, "torque": torque,
                "axes": axes,
            },
        )

    def force(
        self,
        name: str,
        *,
        joint: JointName | None = None,
        coordinate: str | None = None,
        law: Formula | None = None,
        at: End | None = None,
        force: Formulas | None = None,
        axes: Literal["world", "body"] | None = None,
        for_: str | None = None,
    ) -> Force:
        """A force on the coordinate of a joint by a ``law``, or at a point of a body.

        Args:
            joint: the joint it acts on
            coordinate: which coordinate of a joint with several
            law: what makes its coordinate grow
            at: the point that it acts on, as an end of a joint
            force: its components as formulas of everything
            axes: the axes of the components, `world` if omitted
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.force("wind", at=hatch["eye"], force=[0, "if(t > 4, -120, 0)"])
        """
        return self._add_force(
            "force",
            name,
            None,
            {"for": for_, "joint": joint, "coordinate": coordinate, "law": law, "at": at, "force": force, "axes": axes},
        )

    def bushing(
        self,
        name: str,
        first: End,
        second: End,
        *,
        stiffness: Value | Values,
        damping: Value | Values | None = None,
        torsion: Value | Values | None = None,
        torsion_damping: Value | Values | None = None,
        for_: str | None = None,
    ) -> Force:
        """An elastic bearing between two ends, which may shift and turn.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            stiffness: along its axes, one for all or three
            damping: in N s/m, one for all or three; 0 if omitted
            torsion: stiffness about its axes, one number or three; 0 if omitted
            torsion_damping: damping about its axes; 0 if omitted
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.bushing("mount", "ground", engine, stiffness=[1e6, 1e6, 4e5], damping=800, torsion=2e3)
        """
        return self._add_force(
            "bushing",
            name,
            (first, second),
            {
                "for": for_, "stiffness": stiffness, "damping": damping, "torsion": torsion,
                "torsion_damping": torsion_damping,
            },
        )

    def contact(
        self,
        name: str,
        first: End,
        second: End,
        *,
        stiffness: Value | Values,
        damping: Value | Values | None = None,
        radius: Value | None = None,
        radii: Values | None = None,
        axis: Vector | Sequence[Vector] | None = None,
        friction: Value | None = None,
        speed: Value | None = None,
        for_: str | None = None,
    ) -> Force:
        """A sphere on a plane, or on another sphere.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            stiffness: k in k d^(3/2) max(0, 1 + 3/2 c d') of the depth d
            damping: c, in s/m; 0 if omitted
            radius: of a sphere about the first end, on a plane through the second
            radii: of spheres about both ends
            axis: the normal of the plane in the axes of the second body; z if omitted, and y in the plane
            friction: the coefficient of friction; 0 of a contact if omitted
            speed: slip below which friction fades, 1e-3 if omitted
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.contact("bounce", ball, "ground", radius=0.05, stiffness=2e5, damping=0.1, friction=0.3)
        """
        return self._add_force(
            "contact",
            name,
            (first, second),
            {
                "for": for_, "stiffness": stiffness, "damping": damping, "radius": radius, "radii": radii, "axis": axis,
                "friction": friction, "speed": speed,
            },
        )

    def drag(
        self, name: str, at: End, *, coefficient: Value, wind: Values | None = None, for_: str | None = None
    ) -> Force:
        """The drag of air or water on a point, by its squared speed.

        Args:
            at: the point that it acts on, as an end of a joint
            coefficient: half the density times the area times the drag coefficient, in kg/m
            wind: the velocity of the air; none if omitted
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.drag("air", ball, coefficient=0.02, wind=[3, 0, 0])
        """
        return self._add_force("drag", name, None, {"for": for_, "at": at, "coefficient": coefficient, "wind": wind})

    def tyre(
        self,
        name: str,
        first: End,
        second: End,
        *,
        stiffness: Value | Values,
        radius: Value,
        friction: Value,
        slip_stiffness: Value,
        cornering_stiffness: Value,
        damping: Value | Values | None = None,
        axis: Vector | Sequence[Vector] | None = None,
        speed: Value | None = None,
        for_: str | None = None,
    ) -> Force:
        """A tyre on a road: the first end is the wheel, the second the road.

        Args:
            first, second: bodies, points of them, or the ground: what the file has under `of`
            stiffness: in N/m
            radius: of the wheel without load
            friction: the coefficient of friction; 0 of a contact if omitted
            slip_stiffness: the slope of the force ahead by slip, in N
            cornering_stiffness: the slope of the side force by the slip angle, in N/rad
            damping: c, in s/m; 0 if omitted
            axis: the axle in the axes of the wheel, or a list of it and of the normal of the road
            speed: speed below which slips are smoothed, 0.1 if omitted
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.tyre("front", wheel, "ground", axis="y", radius=0.3, stiffness=2e5, friction=1, slip_stiffness=6e4,
            ...     cornering_stiffness=5e4)
        """
        return self._add_force(
            "tyre",
            name,
            (first, second),
            {
                "for": for_, "stiffness": stiffness, "damping": damping, "radius": radius, "axis": axis,
                "friction": friction, "speed": speed, "slip_stiffness": slip_stiffness,
                "cornering_stiffness": cornering_stiffness,
            },
        )
