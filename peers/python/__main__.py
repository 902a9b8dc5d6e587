"""From Python: ours beside scipy_dae, scikit-sundae, exudyn and SciPy. Called by peers/python.sh.

    python peers/python [--json FILE] [--only WORD] [--rounds N] [--no-program]

Three mechanisms, each written for every solver as its users write it:

- andrews: Andrews' squeezing mechanism to t = 0.03; the error is the largest relative error of the seven angles at the
  end.
- pendulum: released from the horizontal, g = 9.81, to t = 10; the error is the larger one of the two coordinates at the
  end.
- chain: ten bars in a plane, x, y and angle of each, from rest at 45 degrees below the horizontal to t = 1; the error
  is the largest of x and y of a bar's centre at the end.

Angles of Andrews' mechanism at the end are known to 1e-14, the pendulum by elliptic functions; the chain is integrated
in its ten angles, without constraints, by SciPy's DOP853 at two tolerances whose results are compared.

Each solver runs in a process of its own on each mechanism. The whole call goes from the functions, the file or nothing
(a mechanism's objects) to the motion, tracing and compiling included; the run alone is the integration again, with
everything at hand. Both are by the clock, without imports, the fastest of three; short runs are repeated until half a
second is spent. Everybody is measured in turn, in several rounds, and the fastest round counts: on a busy machine short
runs find a quiet moment more easily than long ones, which favours the fast. The residual is the largest of the
constraints on positions at the end. Lines are those of everything that a variant's function needs, in files of this
folder, of the one above and in its model file, without imports at the head of a file, blank lines, comments, docstrings
and pictures.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
from typing import Any

# Modules of the folder above, which other peers use too, are imported by some of this one.
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent))

from measure import child, fastest, fresh, rows_of
from program import beside_program, import_times, program_table, show_imports, versions
from tables import equal_errors, equal_table, main_table, remarks
from variants import VARIANTS, Errors


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Ours from Python beside other solvers.")
    parser.add_argument("--json", metavar="FILE", help="write all numbers to this file")
    parser.add_argument("--only", default="", metavar="WORD", help="only problems and solvers with this word")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="how often everybody is measured")
    parser.add_argument("--no-program", action="store_true", help="leave out the comparison with the program")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for a solver on a problem")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--fresh", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    asked = options()
    if asked.child is not None:
        child(asked.child)
        return
    if asked.fresh is not None:
        fresh(int(asked.fresh[0]), float(asked.fresh[1]))
        return
    errors = Errors()
    everything: dict[str, Any] = {"versions": versions(), "rows": []}
    print(", ".join(f"{name} {version}" for name, version in everything["versions"].items()) + "\n")
    print(f"two references of the chain agree to {errors.doubt:.1e}\n")
    chosen = [(k, one) for k, one in enumerate(VARIANTS) if asked.only in f"{one.problem} {one.solver}"]
    rounds: list[list[dict[str, Any]]] = []
    for turn in range(asked.rounds):
        rounds.append([])
        for index, variant in chosen:
            print(f"round {turn + 1}, {variant.problem}: {variant.solver}", file=sys.stderr)
            rounds[-1] += rows_of(index, variant, errors, asked.limit)
    everything["rows"] = fastest(rounds)
    rows = [row for row in everything["rows"] if "missing" not in row]
    main_table(rows)
    remarks(everything["rows"])
    print("## At equal error\n")
    everything["equal"] = equal_errors(rows, (1e-4, 1e-6))
    equal_table(everything["equal"], "alembert, traced NumPy")
    if not asked.no_program and any(row["tool"] == "alembert" for row in rows):
        print("## Andrews' mechanism beside the program\n")
        everything["program"] = beside_program(rows)
        program_table(everything["program"])
        everything["imports"] = import_times()
        show_imports(everything["imports"])
    wheel = os.environ.get("PEERS_WHEEL")
    if wheel:
        everything["wheel"] = pathlib.Path(wheel).stat().st_size
        print(f"The wheel has {everything['wheel'] / 1e6:.1f} MB.\n")
    if asked.json:
        pathlib.Path(asked.json).write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
