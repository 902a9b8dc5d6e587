#!/usr/bin/env python3
"""Tables and ratios at equal error, from the JSON lines of peers/compare.sh (ours first, then the peers').

Errors: Andrews the largest relative error of the seven angles, pendulum the largest error of the two coordinates, both at
the end. Times are CPU time for the peers; ours is the fastest repeat by the clock. The time at an error lies between two runs
of one ladder, both logarithms taken to be linear.
"""

import json
import math
import sys

# Whom, on what, at which error, and which part of the peer's time we may take.
TARGETS = [
    ("andrews", 1e-5, "RADAU5 ggl", 0.15),
    ("andrews", 1e-8, "best", 0.12),
    ("pend", 2e-5, "RADAU5 ggl", 0.25),
]
OURS = "alembert radau5"


def jacobi(u, m):
    """sn, cn, dn by descending through the arithmetic-geometric mean."""
    a, c, b = [1.0], [math.sqrt(m)], math.sqrt(1.0 - m)
    while abs(c[-1]) > 1e-16 and len(a) < 20:
        a0 = a[-1]
        a.append(0.5 * (a0 + b))
        c.append(0.5 * (a0 - b))
        b = math.sqrt(a0 * b)
    phi = 2 ** (len(a) - 1) * a[-1] * u
    for k in range(len(a) - 1, 0, -1):
        phi = 0.5 * (phi + math.asin(c[k] * math.sin(phi) / a[k]))
    sn = math.sin(phi)
    return sn, math.cos(phi), math.sqrt(1.0 - m * sn * sn)


def pendulum(t, gravity=9.81):
    """Exact coordinates of the pendulum released from the horizontal."""
    _, cn, dn = jacobi(math.sqrt(gravity) * t, 0.5)
    sin, cos = math.sqrt(0.5) * cn / dn, math.sqrt(0.5) / dn
    return 2 * sin * cos, sin * sin - cos * cos


def read(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines if line.strip().startswith("{")]


def our_rows(path):
    """One row a tolerance: the faster of the runs before and after the peers."""
    best = {}
    for row in read(path):
        andrews = row["problem"] == "andrews"
        found = dict(
            prob="andrews" if andrews else "pend",
            who="alembert " + row["method"],
            rtol=row["tol"],
            cpu=row["milliseconds"],
            steps=row["steps"],
            fev=row["evaluations"],
            jev=row["jacobians"],
            lu=row["factorisations"],
            err=row["largest_relative_error" if andrews else "largest_error"]["q"],
            failure=row["failure"],
        )
        key = found["prob"], found["who"], found["rtol"]
        if key not in best or (found["cpu"] or math.inf) < (best[key]["cpu"] or math.inf):
            best[key] = found
    return list(best.values())


def peer_rows(path, name):
    rows = []
    for row in read(path):
        err = row.get("err", -1)
        if row["prob"] == "pend" and "y" in row:
            err = max(abs(x - y) for x, y in zip(row["y"], pendulum(100.0)))
        failed = row.get("flag", 0) < 0 or err < 0 or not math.isfinite(err)
        rows.append(
            dict(
                prob=row["prob"],
                who=f"{name} {row['form']}",
                rtol=row["rtol"],
                cpu=None if failed else 1e3 * row["cpu"],
                steps=row.get("steps"),
                fev=row.get("fev"),
                jev=row.get("jev"),
                lu=row.get("lu"),
                err=None if failed else err,
                failure=f"flag {row.get('flag')}" if failed else None,
            )
        )
    return rows


def at_error(error, points):
    """The time for an error, at the last crossing of the ladder; where the first run is better, its own time."""
    for (e0, t0), (e1, t1) in reversed(list(zip(points, points[1:]))):
        if e0 >= error >= e1 and e0 > e1:
            part = math.log(e0 / error) / math.log(e0 / e1)
            return math.exp(math.log(t0) + part * math.log(t1 / t0))
    return points[0][1] if points and points[0][0] <= error else None


def show(rows):
    print("| problem | solver | tol | CPU ms | steps | evaluations | Jacobians | factorisations | error |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        counts = " | ".join("" if row[k] is None else f"{row[k]:.0f}" for k in ("steps", "fev", "jev", "lu"))
        time = "" if row["cpu"] is None else f"{row['cpu']:.2f}"
        error = "failed" if row["err"] is None else f"{row['err']:.1e}"
        print(f"| {row['prob']} | {row['who']} | {row['rtol']:.0e} | {time} | {counts} | {error} |")


def main():
    ours, radau5, ida = sys.argv[1:4]
    rows = our_rows(ours) + peer_rows(radau5, "RADAU5") + peer_rows(ida, "IDA")
    rows.sort(key=lambda row: (row["prob"], row["who"] != OURS, row["who"], -row["rtol"]))
    show(rows)

    def time(prob, who, error):
        ladder = [(row["err"], row["cpu"]) for row in rows if (row["prob"], row["who"]) == (prob, who) and row["cpu"]]
        return at_error(error, ladder)

    print("\n| problem | error | ours, ms | peer | peer, ms | ratio | at most | |")
    print("|---|---|---|---|---|---|---|---|")
    missed = 0
    for prob, error, peer, limit in TARGETS:
        mine = time(prob, OURS, error)
        peers = {row["who"] for row in rows if row["prob"] == prob and not row["who"].startswith("alembert")}
        times = {who: time(prob, who, error) for who in peers if peer in ("best", who)}
        times = {who: taken for who, taken in times.items() if taken}
        if mine is None or not times:
            print(f"| {prob} | {error:.0e} | | {peer} | | not reached | {limit} | missed |")
            missed += 1
            continue
        who, theirs = min(times.items(), key=lambda item: item[1])
        ratio = mine / theirs
        missed += ratio > limit
        verdict = "met" if ratio <= limit else "missed"
        print(f"| {prob} | {error:.0e} | {mine:.2f} | {who} | {theirs:.2f} | {ratio:.3f} | {limit} | {verdict} |")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
