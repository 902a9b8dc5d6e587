"""Mechanisms built in Python: bodies, joints and forces with the words of model files."""

from __future__ import annotations

import copy
import sys
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .. import _toml
from .bodies import Bodies
from .core import counted
from .couplings import Couplings
from .directions import Directions
from .forces import Forces
from .handles import Body, Driver, Force, Joint
from .joints import Joints
from .outputs import Outputs
from .points import Points
from .sections import Sections
from .settings import Settings
from .shapes import FLAG, JOINT, NUMBER, TEXT, Choice, Either, ListOf, Where
from .telling import telling

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    import numpy.typing as npt

    from .._analyses import Certificate, Check, Comparison, Sweep
    from .._columns import State
    from .._integrator import Integrator
    from .._model import Model
    from .._solution import Solution
    from .values import Formula, JointName, Values

#: Sections in the order in which ``alembert fmt`` puts them.
_ORDER = (
    "parameters", "functions", "variables", "bodies", "joints", "drivers", "forces", "tables", "definitions",
    "equations", "states", "discrete", "inputs", "initial", "start", "exact", "view", "events", "outputs", "results",
    "run", "scenarios",
)  # fmt: skip
_TOP = {
    "name": TEXT,
    "description": TEXT,
    "include": Either(TEXT, ListOf(TEXT)),
    "dimension": Choice(2, 3),
    "gravity": ListOf(NUMBER),
    "redundant": Choice("accepted", "refused"),
    "through": FLAG,
    "merge": FLAG,
}


@telling
class Mechanism(Joints, Points, Directions, Couplings, Forces, Bodies, Outputs, Settings, Sections):
    """A mechanism of bodies, joints and forces, which becomes the text of a model file.

    There is a method for each type of joint and force, with the keys of the format as keywords. Numbers may be formulas
    of parameters, ``"l/2"``; bodies and joints are given by themselves or by their names. What is built is a text
    (``m.text()``, ``m.save("a.toml")``), which ``m.run()`` and its like hand to :class:`alembert.Model`.

    Args:
        name: what it is, for headings
        gravity: the acceleration of free fall, two or three numbers; none if omitted
        dimension: 2 in the plane of x and y, 3 in space; if omitted as many as gravity has numbers, or 3
        description: more about it
        include: files beside the model whose parameters are taken over
        redundant: "accepted", which is the default, or "refused": joints that follow from others
        through: whether it passes configurations in which its freedoms branch
        merge: whether welded bodies become one; True if omitted
        folder: where files are that it names, as those of tables; not part of the model

    Example:
        >>> m = Mechanism("pendulum", gravity=[0, -9.81])
        >>> rod = m.body("rod", solid={"bar": {"length": 1}, "mass": 2, "at": [0.5, 0]})
        >>> pin = m.revolute("pin", "ground", rod, start={"angle": "30*deg"})
        >>> m.settings(t_end=3)
        >>> m
        <Mechanism 'pendulum' in the plane: 1 body, 1 joint>
        >>> pin.force.x
        Column("pin.force.x")
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        gravity: Values | None = None,
        dimension: Literal[2, 3] | None = None,
        description: str | None = None,
        include: str | Sequence[str] | None = None,
        redundant: Literal["accepted", "refused"] | None = None,
        through: bool | None = None,
        merge: bool | None = None,
        folder: str | PathLike[str] | None = None,
    ) -> None:
        given: dict[str, Any] = {
            "name": name, "description": description, "include": include, "dimension": dimension, "gravity": gravity,
            "redundant": redundant, "through": through, "merge": merge,
        }  # fmt: skip
        element = f"mechanism `{name}`" if isinstance(name, str) else "mechanism"
        top = {
            key: _TOP[key].accept(value, Where(self, element, key)) for key, value in given.items() if value is not None
        }
        if dimension is None and len(top.get("gravity", ())) == 2:
            top["dimension"] = 2
        self._top: dict[str, Any] = {key: top[key] for key in _TOP if key in top}
        #: Where files are that it names.
        self.folder = folder
        super().__init__(self._top.get("dimension") == 2)

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Mechanism:
        """The mechanism of a model file, without its comments; files that it names are looked for beside it.

        Example:
            >>> m = Mechanism.from_file("four_bar.toml")
            >>> m.torsion("stiff", m.joints["B"], stiffness=0.1)
        """
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        found = cls(**{key: document[key] for key in _TOP if key in document}, folder=Path(path).parent)
        found._read({key: value for key, value in document.items() if key in _ORDER})
        return found

    @property
    def name(self) -> str | None:
        """What it is called."""
        found: str | None = self._top.get("name")
        return found

    @property
    def bodies(self) -> dict[str, Body]:
        """Its bodies by name."""
        return self._all(Body)

    @property
    def joints(self) -> dict[str, Joint]:
        """Its joints by name."""
        return self._all(Joint)

    @property
    def drivers(self) -> dict[str, Driver]:
        """Its drivers by name."""
        return self._all(Driver)

    @property
    def forces(self) -> dict[str, Force]:
        """Its forces by name."""
        return self._all(Force)

    def motor(self, name: str, joint: JointName, law: Formula, *, coordinate: str | None = None) -> Force:
        """A torque or a force along the coordinate of a joint, whichever it takes: what makes the coordinate grow.

        Args:
            joint: the joint it acts on
            law: a formula of everything, in which ``angle`` or ``displacement`` and their rates are the joint's own
            coordinate: which coordinate of a joint with several

        Example:
            >>> m.motor("motor", shaft, "5 - 0.1*angle'")
            >>> m.motor("motor", shaft, lambda t, angle_rate: 5*np.sin(t) - 0.1*angle_rate)
        """
        element = f"motor `{name}`"
        known = self._found(Joint, JOINT.accept(joint, Where(self, element, "joint")), element)
        word = coordinate or (known.coordinates[0] if known.coordinates else "")
        kind = self.torque if "angle" in word else self.force
        return kind(name, joint=joint, law=law, coordinate=coordinate)

    # The file

    def document(self) -> dict[str, Any]:
        """The model as nested tables, as the file has them."""
        sections = {section: self._sections[section] for section in _ORDER if self._sections.get(section)}
        return {"format": 1, **copy.deepcopy({**self._top, **sections})}

    def text(self) -> str:
        """The text of the model file."""
        return _toml.dumps(self.document())

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the model file.

        Example:
            >>> m.save("four_bar.toml")
        """
        Path(path).write_text(self.text(), encoding="utf-8", newline="\n")

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        title = f" {self.name!r}" if self.name else ""
        parts = {kind: len(self._sections.get(kind, ())) for kind in ("bodies", "drivers", "forces")}
        joints = self._sections.get("joints", ())
        repeated = " and repetitions" if self._repeated else ""
        contents = counted(
            [
                ("body", "bodies", parts["bodies"]),
                ("joint", "joints", len(joints)),
                ("driver", "drivers", parts["drivers"]),
                ("force", "forces", parts["forces"]),
            ]
        )
        return f"<Mechanism{title} in {'the plane' if self.in_plane else 'space'}: {contents or 'empty'}{repeated}>"

    # What is done with it

    def model(self, t_end: float | None = None) -> Model:
        """The model of its text.

        A model has an end time. Where neither the settings nor the call have one it is 1, until a run says otherwise.
        """
        from .._model import Model

        document = self.document()
        document["run"] = {"t_end": 1.0, **document.get("run", {}), **({} if t_end is None else {"t_end": float(t_end)})}
        ordered = {key: document[key] for key in ("format", *_TOP, *_ORDER) if key in document}
        return Model(_toml.dumps(ordered), name=self.name or "mechanism", folder=self.folder)

    def _until(self, t_end: float | None) -> Model:
        """The model for a run, which needs an end."""
        if t_end is None and "t_end" not in self._sections.get("run", {}):
            raise ValueError(f"{self!r} has no end time: write m.run(t_end=5), or m.settings(t_end=5) for all runs")
        return self.model(t_end)

    def check(self) -> Check:
        """Looks at it without running it: sizes, freedoms, start, derivatives. See :meth:`alembert.Model.check`."""
        return self.model().check()

    def consistent(self) -> State:
        """Its state at the start, with accelerations and reactions. See :meth:`alembert.Model.consistent`."""
        return self.model().consistent()

    def run(self, t_end: float | None = None, **options: Any) -> Solution:
        """Integrates it; options are those of :meth:`alembert.Model.run`.

        Example:
            >>> solution = m.run(t_end=5, rtol=1e-9)
            >>> solution[crank.angle]
        """
        return self._until(t_end).run(t_end, **options)

    def verify(self, t_end: float | None = None, **options: Any) -> Certificate:
        """Says how far a run can be trusted; options are those of :meth:`alembert.Model.verify`."""
        return self._until(t_end).verify(t_end, **options)

    def sweep(
        self, values: Mapping[str, npt.ArrayLike] | None = None, /, *, t_end: float | None = None, **more: Any
    ) -> Sweep:
        """Runs it for many values of its parameters; options are those of :meth:`alembert.Model.sweep`.

        Example:
            >>> m.sweep(l=[0.5, 1, 2], t_end=5)
        """
        return self._until(t_end).sweep(values, t_end=t_end, **more)

    def compare(self, methods: Sequence[str] = (), *, t_end: float | None = None, **options: Any) -> Comparison:
        """What accuracy costs, method by method; options are those of :meth:`alembert.Model.compare`."""
        return self._until(t_end).compare(methods, **options)

    def integrator(self, t_end: float | None = None, **options: Any) -> Integrator:
        """The run step by step; options are those of :meth:`alembert.Model.integrator`."""
        return self._until(t_end).integrator(t_end, **options)
