"""Couplings of joints.

Written by ``python/tools/generate_mechanism.py`` from the schema and the manual: change those, and run it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .core import Core

if TYPE_CHECKING:
    from .handles import Coupling
    from .values import JointName, Value, Values


class Couplings(Core):
    """Gears, belts, racks, screws."""

    def gear(
        self,
        name: str,
        joints: Sequence[JointName],
        *,
        radii: Values,
        internal: bool | None = None,
        for_: str | None = None,
    ) -> Coupling:
        """Wheels in contact: r1 a1 + r2 a2 is kept.

        Args:
            joints: the joints that are coupled; of one with several coordinates the one that is meant, as
                nut.displacement
            radii: the radii or the numbers of teeth
            internal: whether one wheel is inside the other, so that both turn the same way; false if omitted
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.gear("mesh", [shaft, bearing], radii=[20, 60])
        """
        return self._add_coupling("gear", name, {"for": for_, "joints": joints, "radii": radii, "internal": internal})

    def belt(self, name: str, joints: Sequence[JointName], *, radii: Values, for_: str | None = None) -> Coupling:
        """Wheels on a belt: r1 a1 - r2 a2 is kept.

        Args:
            joints: the joints that are coupled; of one with several coordinates the one that is meant, as
                nut.displacement
            radii: the radii or the numbers of teeth
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.belt("belt", [shaft, bearing], radii=[0.1, 0.3])
        """
        return self._add_coupling("belt", name, {"for": for_, "joints": joints, "radii": radii})

    def rack(self, name: str, joints: Sequence[JointName], *, radius: Value, for_: str | None = None) -> Coupling:
        """A pinion on a rack: x - r a is kept.

        Args:
            radius: of the pinion, negative for a rack on its other side
            joints: the joints that are coupled; of one with several coordinates the one that is meant, as
                nut.displacement
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.rack("steering", [column, guide], radius=0.02)
        """
        return self._add_coupling("rack", name, {"for": for_, "radius": radius, "joints": joints})

    def screw(
        self,
        name: str,
        joint: JointName | None = None,
        *,
        pitch: Value,
        joints: Sequence[JointName] | None = None,
        for_: str | None = None,
    ) -> Coupling:
        """A screw: x - pitch a/(2 pi) is kept.

        Args:
            pitch: displacement of a turn
            joint: a cylindrical joint
            joints: the joints that are coupled; of one with several coordinates the one that is meant, as
                nut.displacement
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.screw("thread", nut, pitch=0.01)
        """
        return self._add_coupling("screw", name, {"joint": joint, "for": for_, "joints": joints, "pitch": pitch})

    def differential(
        self, name: str, joints: Sequence[JointName], *, ratios: Values, for_: str | None = None
    ) -> Coupling:
        """A sum of ``ratios`` times coordinates of joints is kept; an even differential has [1, 1, -2] for both shafts
        and the carrier.

        Args:
            joints: the joints that are coupled; of one with several coordinates the one that is meant, as
                nut.displacement
            ratios: the sum of ratios times coordinates stays what it is at the start
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.differential("axle", [left, right, case], ratios=[1, 1, -2])
        """
        return self._add_coupling("differential", name, {"for": for_, "joints": joints, "ratios": ratios})

    def coupling(self, name: str, joints: Sequence[JointName], *, ratios: Values, for_: str | None = None) -> Coupling:
        """A sum of ``ratios`` times coordinates of joints is kept.

        Args:
            joints: the joints that are coupled; of one with several coordinates the one that is meant, as
                nut.displacement
            ratios: the sum of ratios times coordinates stays what it is at the start
            for_: repeats the entry, as "i in 1..N"; its name then has an index, as "link[i]"

        Example:
            >>> m.coupling("mesh", [sun, carrier, pin], ratios=["z1", "-z1", "z2"])
        """
        return self._add_coupling("coupling", name, {"for": for_, "joints": joints, "ratios": ratios})
