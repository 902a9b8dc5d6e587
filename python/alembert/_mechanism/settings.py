"""Sections of the file that say how it is run.

Written by ``python/tools/generate_mechanism.py`` from the schema and the manual: change those, and run it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .core import Core

if TYPE_CHECKING:
    from .tables import NamedFormula
    from .values import Formula, Formulas, Value, Values


class Settings(Core):
    """Runs, starts, scenarios, equations of your own."""

    def settings(
        self,
        *,
        t_start: Value | None = None,
        t_end: Value | None = None,
        method: Literal["radau", "bdf", "soi2", "hht"] | None = None,
        rtol: Value | None = None,
        atol: Value | Mapping[str, Value] | None = None,
        scale: Mapping[str, Value] | None = None,
        h: Value | None = None,
        step_pattern: Values | None = None,
        h_max: Value | None = None,
        h_min: Value | None = None,
        land_on: Values | None = None,
        jumps_at: Values | None = None,
        smooth: bool | None = None,
        columns: Sequence[str] | None = None,
        t_eval: Values | None = None,
        seed: Value | None = None,
        max_steps: Value | None = None,
        max_rows: Value | None = None,
        max_seconds: Value | None = None,
        output_every: Value | None = None,
        stages: Value | None = None,
        projection: bool | None = None,
        order: Value | None = None,
        start: Literal["consistent", "plain", "a0", "implicit", "twice", "jerk"] | None = None,
        rho_infinity: Value | None = None,
        alpha_m: Value | None = None,
        alpha_f: Value | None = None,
        beta: Value | None = None,
        gamma: Value | None = None,
        mass_matrix: Literal["recomputed", "previous"] | None = None,
        output: Literal["consistent", "own"] | None = None,
        step_change: bool | None = None,
        largest_ratio: Value | None = None,
        alpha: Value | None = None,
        b: Value | None = None,
        form: Literal["full", "predicted", "midpoint", "midpoint predicted", "index2"] | None = None,
    ) -> None:
        """How it is run, if `run` does not say otherwise.

        Args:
            t_start: start time; 0 if omitted
            t_end: end time; `run` may give it instead
            method: the method; `radau` if omitted
            rtol: relative tolerance; steps are chosen to meet it; 1e-6 if neither `rtol` nor `h` is given
            atol: absolute tolerance, in the units of the model: one for all, or by variable, as {"x": 1e-9, "x'":
                1e-6}; typical sizes of the other variables are found, and of all if omitted
            scale: typical sizes of some variables, as {"x": 1e-6}: the tolerance is relative to the value and to this
                size; those of the others are found
            h: fixed step size instead of a tolerance
            step_pattern: with `h`: steps are h times each fraction in turn, as ["1/3", "2/3"]
            h_max: the longest step that a tolerance may choose; what happens faster than the steps and is no function
                of t alone may be stepped over
            h_min: the shortest step that a tolerance may choose; a run that needs shorter ones ends with an error
            land_on: times at which steps end, besides those of the rows
            jumps_at: times at which inputs jump: the motion starts afresh there, and velocities jump where constraints
                make them. Kinks and jumps of formulas of t alone are found without it, but make velocities jump only if
                they are named here
            smooth: leaves kinks and jumps of formulas of the state (`abs`, `sign`, `min`, `max`, `floor`, `if`, ...) to
                the error of steps; otherwise steps end there, and formulas are smooth in between; false if omitted
            columns: columns of the result besides t, in their usual order; a vector stands for all of its entries; all
                columns if omitted
            t_eval: times of the rows of the result, besides the start, the end and both sides of events; instead of
                `output_every`
            seed: what the values of random parameters follow from: a whole number; 0 if omitted
            max_steps: the run ends, partial, after so many steps; 20 million if omitted
            max_rows: the run ends, partial, after so many rows; 20 million if omitted
            max_seconds: the run ends, partial, after so many seconds of computing
            output_every: distance of the rows of the result; every step if omitted
            stages: radau: 2 to 9, or "auto": 3, 5 or 7 by tolerance
            projection: radau: whether states are projected onto the constraints; true if omitted
            order: bdf: 1 to 6 (with a tolerance: the highest, 1 to 5), or "auto", which is 2 at fixed steps: from 3 on
                undamped oscillations grow
            start: bdf: `consistent` or `plain` start values of the classical index-3 form; soi2, hht: how the first
                step begins, `twice` if omitted
            rho_infinity: soi2: spectral radius at infinity, in [0, 1]; 0.8 if omitted
            alpha_m: soi2: coefficients instead of `rho_infinity`, all four together
            alpha_f: soi2: see `alpha_m`
            beta: soi2: see `alpha_m`
            gamma: soi2: see `alpha_m`
            mass_matrix: soi2: which mass matrix belongs to the old acceleration; `recomputed` if omitted
            output: soi2: where accelerations and multipliers come from: `consistent` if omitted (to rounding, dead
                points are watched), or the method's `own`: second order as well, and less than half the cost in large
                models with fixed steps
            step_change: soi2, hht: whether the acceleration follows changes of the step size; true if omitted
            largest_ratio: soi2, hht: largest ratio of a step to the one before, at least 1; 2 if omitted
            alpha: hht: damping, in [-1/3, 0]; -0.1 if omitted
            b: hht: share of the new reaction, not 1/2; 0 if omitted
            form: hht: where reactions are evaluated; `full` if omitted

        Example:
            >>> m.settings(t_end=5, rtol=1e-9, output_every=0.01)
        """
        self._add_settings(
            {
                "t_start": t_start, "t_end": t_end, "method": method, "rtol": rtol, "atol": atol, "scale": scale,
                "h": h, "step_pattern": step_pattern, "h_max": h_max, "h_min": h_min, "land_on": land_on,
                "jumps_at": jumps_at, "smooth": smooth, "columns": columns, "t_eval": t_eval, "seed": seed,
                "max_steps": max_steps, "max_rows": max_rows, "max_seconds": max_seconds, "output_every": output_every,
                "stages": stages, "projection": projection, "order": order, "start": start,
                "rho_infinity": rho_infinity, "alpha_m": alpha_m, "alpha_f": alpha_f, "beta": beta, "gamma": gamma,
                "mass_matrix": mass_matrix, "output": output, "step_change": step_change,
                "largest_ratio": largest_ratio, "alpha": alpha, "b": b, "form": form,
            },
        )

    def start(
        self,
        *,
        fixed: Sequence[str] | None = None,
        equilibrium: bool | None = None,
        find: Mapping[str, Value] | None = None,
    ) -> None:
        """How the start follows from `initial`.

        Args:
            fixed: coordinates and velocities that keep their values of `[initial]`, as ["phi", "phi'"]; the others are
                moved onto the constraints
            equilibrium: whether the motion starts from rest in static equilibrium, which is looked for downhill from
                `[initial]`; false if omitted
            find: parameters that the start determines, each with an equation that holds at the start, or a formula that
                is zero there, as {"l": "x = 0.3"}; their values under `[parameters]` are the first guess

        Example:
            >>> m.start(equilibrium=True)
        """
        self._add_start({"fixed": fixed, "equilibrium": equilibrium, "find": find})

    def variables(
        self,
        *,
        coordinates: Sequence[str] | None = None,
        velocities: Sequence[str] | None = None,
        multipliers: Sequence[str] | None = None,
        nonholonomic_multipliers: Sequence[str] | None = None,
    ) -> None:
        """Coordinates of your own beside the bodies.

        Args:
            coordinates: names of the coordinates; `x[1..N]` declares a vector, `R : rotation` the orientation of a body
            velocities: names of the velocities where they are not the rates of the coordinates; needs `velocities` in
                `[equations]`
            multipliers: names of the multipliers of the holonomic constraints; `lambda1`, `lambda2`, … if omitted
            nonholonomic_multipliers: names of the multipliers of the nonholonomic constraints; `psi1`, `psi2`, … if
                omitted

        Example:
            >>> m.variables(coordinates=["s"])
        """
        self._add_variables(
            {
                "coordinates": coordinates, "velocities": velocities, "multipliers": multipliers,
                "nonholonomic_multipliers": nonholonomic_multipliers,
            },
        )

    def equations(
        self,
        *,
        mass: Sequence[Value | Values] | None = None,
        force: Formulas | None = None,
        kinetic: Formula | None = None,
        potential: Formula | None = None,
        dissipation: Formula | None = None,
        holonomic: Sequence[Formula | NamedFormula] | None = None,
        nonholonomic: Sequence[Formula | NamedFormula] | None = None,
        reaction: Formulas | None = None,
        redundant: Literal["refused", "least squares"] | None = None,
        indefinite_mass: bool | None = None,
        solver: Literal["automatic", "dense", "sparse"] | None = None,
        program: str | None = None,
        velocities: Formulas | None = None,
    ) -> None:
        """Equations of your own beside the bodies.

        Args:
            mass: mass matrix of t and coordinates: rows, or a list for a diagonal matrix
            force: forces of t, coordinates and velocities, one for each velocity; for a rotation three, or a triple:
                the moment about the axes of the body; with `kinetic` they are added to those of the energies
            kinetic: kinetic energy, quadratic in the velocities: instead of `mass`
            potential: potential energy of t and coordinates; with `kinetic`
            dissipation: Rayleigh's dissipation function; its derivatives in the velocities oppose the motion; with
                `kinetic`
            holonomic: constraints on t and coordinates: these formulas are zero
            nonholonomic: constraints on t, coordinates and velocities: these formulas are zero
            reaction: reaction forces of t, coordinates, velocities and multipliers; `-G^T lambda - K^T psi` if omitted
            redundant: constraints that follow from others: `refused`, which is the default, or accepted with the
                smallest multipliers (`least squares`; not with `reaction`). Accepted ones may contradict each other by
                1e-8 of the size of the model; a run that finds more stops and names them
            indefinite_mass: whether the mass matrix may give motions a negative kinetic energy; false if omitted, and
                such a start is refused
            solver: matrices with all entries (`dense`) or only those that may be nonzero (`sparse`; not with
                `velocities`); `automatic`, which is the default, decides by their number
            program: who has some of the equations, where they are functions of a program, as Python; their formulas
                then only say how many there are and what they are called, and the file runs from that program alone
            velocities: rates of the coordinates as formulas of t, coordinates and velocities, where they are not the
                velocities themselves

        Example:
            >>> m.equations(kinetic="m*s'^2/2", potential="20*s^2", holonomic=["load.x - s"])
        """
        self._add_equations(
            {
                "mass": mass, "force": force, "kinetic": kinetic, "potential": potential, "dissipation": dissipation,
                "holonomic": holonomic, "nonholonomic": nonholonomic, "reaction": reaction, "redundant": redundant,
                "indefinite_mass": indefinite_mass, "solver": solver, "program": program, "velocities": velocities,
            },
        )

    def scenario(
        self,
        name: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        initial: Mapping[str, Any] | None = None,
        start: Mapping[str, Any] | None = None,
        t_start: Value | None = None,
        t_end: Value | None = None,
        method: Literal["radau", "bdf", "soi2", "hht"] | None = None,
        rtol: Value | None = None,
        atol: Value | Mapping[str, Value] | None = None,
        scale: Mapping[str, Value] | None = None,
        h: Value | None = None,
        step_pattern: Values | None = None,
        h_max: Value | None = None,
        h_min: Value | None = None,
        land_on: Values | None = None,
        jumps_at: Values | None = None,
        smooth: bool | None = None,
        columns: Sequence[str] | None = None,
        t_eval: Values | None = None,
        seed: Value | None = None,
        max_steps: Value | None = None,
        max_rows: Value | None = None,
        max_seconds: Value | None = None,
        output_every: Value | None = None,
        stages: Value | None = None,
        projection: bool | None = None,
        order: Value | None = None,
        rho_infinity: Value | None = None,
        alpha_m: Value | None = None,
        alpha_f: Value | None = None,
        beta: Value | None = None,
        gamma: Value | None = None,
        mass_matrix: Literal["recomputed", "previous"] | None = None,
        output: Literal["consistent", "own"] | None = None,
        step_change: bool | None = None,
        largest_ratio: Value | None = None,
        alpha: Value | None = None,
        b: Value | None = None,
        form: Literal["full", "predicted", "midpoint", "midpoint predicted", "index2"] | None = None,
    ) -> None:
        """Another run of the same model.

        Args:
            parameters: values of parameters
            initial: values at the start
            start: keys of `start`

        Example:
            >>> m.scenario("fast", parameters={"n": 20}, t_end=1)
        """
        self._add_scenario(
            name,
            {
                "parameters": parameters, "initial": initial, "start": start, "t_start": t_start, "t_end": t_end,
                "method": method, "rtol": rtol, "atol": atol, "scale": scale, "h": h, "step_pattern": step_pattern,
                "h_max": h_max, "h_min": h_min, "land_on": land_on, "jumps_at": jumps_at, "smooth": smooth,
                "columns": columns, "t_eval": t_eval, "seed": seed, "max_steps": max_steps, "max_rows": max_rows,
                "max_seconds": max_seconds, "output_every": output_every, "stages": stages, "projection": projection,
                "order": order, "rho_infinity": rho_infinity, "alpha_m": alpha_m, "alpha_f": alpha_f, "beta": beta,
                "gamma": gamma, "mass_matrix": mass_matrix, "output": output, "step_change": step_change,
                "largest_ratio": largest_ratio, "alpha": alpha, "b": b, "form": form,
            },
        )
