"""What is noticed, drawn and written of a motion.

Written by ``python/tools/generate_mechanism.py`` from the schema and the manual: change those, and run it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from .core import Core

if TYPE_CHECKING:
    from .handles import Body, Driver, Force, Joint
    from .tables import (
        ViewArrow,
        ViewBall,
        ViewBox,
        ViewCircle,
        ViewDamper,
        ViewFrame,
        ViewLabel,
        ViewPlane,
        ViewRound,
        ViewSpring,
    )
    from .values import Formula, Place, Rows, Value, Values


class Outputs(Core):
    """Events, tables, pictures, outputs, results."""

    def event(
        self,
        name: str,
        *,
        formula: Formula | None = None,
        program: str | None = None,
        at: Value | Values | None = None,
        every: Value | None = None,
        once: bool | None = None,
        times: Value | None = None,
        direction: Literal["rising", "falling", "any"] | None = None,
        action: Literal["stop", "continue", "bounce", "set"] | None = None,
        restitution: Value | None = None,
        jumps: bool | None = None,
        set: Mapping[str, Formula] | None = None,
    ) -> str:
        """Something that happens where a formula passes through zero, or at given times.

        Args:
            formula: the function to watch, of everything
            program: instead of a formula: who has the function, if it is one of a program
            at: instead of a formula: the time, or the list of times, at which it happens, after the start
            every: instead of a formula: it happens at these distances of time from the start on
            once: whether it happens only the first time; false if omitted
            times: how often it happens at most; any number if omitted
            direction: which way it must pass through zero; `any` if omitted
            action: `stop` the run; `continue` and only take note; `bounce` off the surface formula = 0 (of t and
                coordinates); `set` velocities, states and discrete variables
            restitution: bounce: ratio of the normal velocities after and before, relative to the surface where it
                moves, in [0, 1]
            jumps: whether a jump over zero counts (the cut of `atan2`, `sign`, a pole); false if omitted
            set: set: new values of velocities, states and discrete variables, as {"x'": "-x'", "gear": "gear + 1"}

        Example:
            >>> m.event("bottom", formula=guide.displacement, direction="falling", action="stop")
        """
        return self._add_event(
            name,
            {
                "formula": formula, "program": program, "at": at, "every": every, "once": once, "times": times,
                "direction": direction, "action": action, "restitution": restitution, "jumps": jumps, "set": set,
            },
        )

    def table(
        self,
        name: str,
        *,
        x: Rows | None = None,
        y: Rows | None = None,
        z: Rows | None = None,
        file: str | None = None,
        kind: Literal["linear", "pchip", "spline"] | None = None,
        extrapolation: Literal["error", "hold", "linear", "periodic"] | None = None,
    ) -> str:
        """Measured values: a function of one or two arguments in formulas.

        Args:
            x: knots in increasing order: numbers or constant formulas, or with `file` the name of a column
            y: values at the knots; with `z` the knots of the second argument
            z: values of two arguments: rows, one for each knot of `x`, with a value for each knot of `y`; with `file` a
                column that has every pair of knots once
            file: comma-separated text with the names of columns in its first line; beside the model or in a folder
                below it
            kind: between knots: `linear`, which is the default (bilinear with `z`), `pchip`: cubic, smooth and as
                monotone as the points (not with `z`), or `spline`: cubic with two continuous derivatives, not-a-knot at
                its ends (bicubic with `z`)
            extrapolation: beyond the ends: `error`, which is the default and has no value, `hold` the value there,
                `linear`: go on with the slope there, or `periodic`

        Example:
            >>> m.table("road", x=[0, 1, 2], y=[0, 0.02, 0], kind="pchip", extrapolation="hold")
        """
        return self._add_table(
            name, {"x": x, "y": y, "z": z, "file": file, "kind": kind, "extrapolation": extrapolation}
        )

    def view(
        self,
        name: str | Body | Joint | Force | Driver,
        *,
        point: Place | bool | None = None,
        line: Sequence[Place] | None = None,
        closed: bool | None = None,
        circle: Value | ViewCircle | None = None,
        box: Values | ViewBox | None = None,
        sphere: Value | ViewBall | None = None,
        cylinder: ViewRound | None = None,
        capsule: ViewRound | None = None,
        bar: ViewRound | None = None,
        spring: ViewSpring | None = None,
        damper: ViewDamper | None = None,
        plane: Place | ViewPlane | None = None,
        trace: Place | bool | None = None,
        force: Place | ViewArrow | None = None,
        torque: Place | ViewArrow | None = None,
        velocity: Place | ViewArrow | None = None,
        label: str | ViewLabel | None = None,
        at: Place | None = None,
        frame: str | ViewFrame | None = None,
        color: str | None = None,
        show: bool | None = None,
        for_: str | None = None,
    ) -> None:
        """What is drawn under a name; called again, further figures of the same name.

        Args:
            point: a dot
            line: a line through two or more points
            closed: whether the line ends where it begins; false if omitted
            circle: a circle by its radius
            box: a box by its edges
            sphere: a ball by its radius
            cylinder: a cylinder
            capsule: a cylinder with half balls at its ends
            bar: a cylinder, or a line without a radius
            spring: a spring between two points
            damper: a damper between two points
            plane: a floor or a wall, by its normal
            trace: points that leave a trace
            force: an arrow, on the scale of forces
            torque: an arrow, on the scale of torques
            velocity: an arrow, on the scale of velocities
            label: a word
            at: where figures are that do not say it themselves: the centre of a box, the place of a label
            frame: axes in which numbers and formulas of points are meant: a body, a table, or a rotation, whose origin
                is then `at`. An entry with the name of a body has that body for its frame, all others the world; in a
                list a frame holds for the entries that follow
            color: a name as in CSS, or "#rrggbb"
            show: false hides what is drawn of its own accord of the body, joint or force of this name, or
                "hinge.force", an arrow; true if omitted
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.view(crank, capsule={"from": crank, "to": crank["A"], "radius": 0.01}, color="darkorange")
        """
        self._add_view(
            name,
            {
                "for": for_, "point": point, "line": line, "closed": closed, "circle": circle, "box": box,
                "sphere": sphere, "cylinder": cylinder, "capsule": capsule, "bar": bar, "spring": spring,
                "damper": damper, "plane": plane, "trace": trace, "force": force, "torque": torque,
                "velocity": velocity, "label": label, "at": at, "frame": frame, "color": color, "show": show,
            },
        )

    def output(
        self,
        name: str,
        formula: Formula | None = None,
        *,
        reaction: str | Sequence[str] | None = None,
        at: Sequence[str] | None = None,
        unit: str | None = None,
        label: str | None = None,
    ) -> str:
        """A further column of results.

        Args:
            formula: of everything, outputs above it included
            reaction: instead of a formula: the name of a constraint, or of several, whose force it is
            at: of a reaction: the coordinates it acts on
            unit: for figures and summaries
            label: for figures and summaries

        Example:
            >>> m.output("pin_force", hinge.force, unit="N", label="force in the pin")
        """
        return self._add_output(
            name, {"formula": formula, "reaction": reaction, "at": at, "unit": unit, "label": label}
        )

    def result(
        self,
        name: str,
        *,
        max: Formula | None = None,
        min: Formula | None = None,
        mean: Formula | None = None,
        rms: Formula | None = None,
        integral: Formula | None = None,
        value: Formula | None = None,
        count: str | None = None,
        from_: Value | None = None,
        to: Value | None = None,
        at: Value | None = None,
        event: str | None = None,
        which: Value | None = None,
        unit: str | None = None,
        label: str | None = None,
    ) -> str:
        """A number that a whole run comes to.

        Args:
            max: the largest value of a formula
            min: the smallest value of a formula
            mean: the mean of a formula over time
            rms: the root of the mean square of a formula over time
            integral: the integral of a formula over time
            value: a formula at the end, `at` a time, or at an `event`
            count: how often the event of this name happens
            from_: from this time on
            to: up to this time
            at: of a `value`: the time
            event: of a `value`: just before this event
            which: of an `event`: "first", "last" or a number
            unit: for figures and summaries
            label: for figures and summaries

        Example:
            >>> m.result("peak", max="pin_force", unit="N")
        """
        return self._add_result(
            name,
            {
                "max": max, "min": min, "mean": mean, "rms": rms, "integral": integral, "value": value, "count": count,
                "from": from_, "to": to, "at": at, "event": event, "which": which, "unit": unit, "label": label,
            },
        )
