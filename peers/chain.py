#!/usr/bin/env python3
"""Chains: ours beside IDA with KLU, and the limits. Called by peers/chain.sh, which says what it needs.

Errors at the end: the largest of x and y of a bar's centre, and the largest of all rates, for everybody against the same
reference (cargo xtask chain-end). Times are CPU times, the fastest of all rounds. The time at an error lies between two runs
of one ladder, both logarithms taken to be linear.
"""

import array
import json
import math
import os
import subprocess
import sys
import tempfile

from ratios import at_error

PEERS = os.environ["PEERS_TMP"] + "/"
XTASK = os.environ["XTASK"]
EXUDYN = os.environ.get("EXUDYN_PYTHON")
# Bars and end time.
CHAINS = {10: 1.0, 100: 1.0, 1000: 1.0, 10000: 0.1, 100000: 0.01}
IDA_TOLERANCES = ["1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8"]
AT_ERROR = 1e-5


def numbers(path):
    found = array.array("d")
    with open(path, "rb") as file:
        found.frombytes(file.read())
    return found


class Errors:
    """Errors of x, y, angle, x', y', angle' of each bar, against a reference that is made once."""

    def __init__(self, folder):
        self.folder, self.known = folder, {}

    def of(self, bars, path):
        if bars not in self.known:
            reference = f"{self.folder}/reference-{bars}"
            subprocess.run([XTASK, "chain-end", str(bars), str(CHAINS[bars]), reference], check=True)
            self.known[bars] = numbers(reference)
        found, exact = numbers(path), self.known[bars]
        gaps = [abs(x - y) for x, y in zip(found, exact)]
        places = max(gap for i, gap in enumerate(gaps) if i % 6 < 2)
        return places, max(gap for i, gap in enumerate(gaps) if i % 6 > 2)


def ours(bars, method, ladder=False):
    command = [XTASK, "bench", "--json", "--filter", f"chain-{bars} {method}"] + (["--ladder"] if ladder else [])
    rows = []
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        row = json.loads(line)
        if row["method"] != method:
            continue
        failed = "failure" in row
        rows.append(
            dict(
                who=f"alembert {method}",
                bars=bars,
                tol=row["tolerance"],
                cpu=None if failed else row["cpu"],
                steps=row.get("steps"),
                fev=row.get("evaluations", {}).get("force"),
                jev=row.get("linearizations"),
                lu=row.get("factorisations"),
                err=row.get("error_q"),
                errv=row.get("error_v"),
                setup=row.get("setup"),
                memory=None if failed or "peak_kb" not in row else 1024 * (row["peak_kb"] - row["base_kb"]) / bars,
            )
        )
    return rows


def ida(bars, tol, errors, longest=None):
    """One run of IDA; without the settings of its environment it fails or is slower."""
    out = f"{errors.folder}/ida"
    command = [PEERS + "ida_chain", str(bars), tol, str(CHAINS[bars]), "2" if bars <= 1000 else "1"]
    command += [longest] if longest else []
    settings = dict(os.environ, ALGFAC="1e6", H0="1e-5", CHAIN_OUT=out)
    text = subprocess.run(command, env=settings, check=True, capture_output=True, text=True).stdout
    row = json.loads(text.strip().splitlines()[-1])
    failed = row["flag"] < 0
    err, errv = (None, None) if failed else errors.of(bars, out)
    return dict(
        who="IDA ggl" + (f", h <= {longest}" if longest else ""),
        bars=bars,
        tol=float(tol),
        cpu=None if failed else row["cpu"],
        steps=row["steps"],
        fev=row["fev"],
        jev=row["jev"],
        lu=row["lu"],
        err=err,
        errv=errv,
        memory=row["rss_mb"] * 2**20 / bars,
    )


def exudyn(bars, errors):
    """One run of exudyn's generalized alpha with modified Newton iterations, for its errors and time."""
    out = f"{errors.folder}/exudyn"
    command = [EXUDYN, "-W", "ignore", os.path.dirname(__file__) + "/exudyn_chain.py", str(bars), "1e-3", str(CHAINS[bars]), out]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    row = json.loads([line for line in text.splitlines() if line.startswith("{")][-1])
    err, errv = errors.of(bars, out)
    return dict(
        who="exudyn", bars=bars, tol=1e-8, cpu=row["cpu"], steps=row["steps"], fev=row["nni"], jev=row["lu"], lu=row["lu"],
        err=err, errv=errv, memory=row["rss_mb"] * 2**20 / bars,
    )


def everybody(errors, first):
    """One round: those who are compared come one after the other."""
    for bars in CHAINS:
        yield from ours(bars, "soi2")
        yield from ours(bars, "soi2 own")
        if bars <= 10000:
            yield ida(bars, "1e-4", errors, "1e-3")
    yield from ours(1000, "bdf", ladder=True)
    for tol in IDA_TOLERANCES:
        yield ida(1000, tol, errors)
    yield from ours(1000, "radau5", ladder=True)
    if EXUDYN and first:
        for bars in (10, 100, 1000, 10000):
            yield exudyn(bars, errors)


def time_at_error(rows, who, error):
    ladder = sorted((row for row in rows if (row["who"], row["bars"]) == (who, 1000)), key=lambda row: -row["tol"])
    return at_error(error, [(row["err"], row["cpu"]) for row in ladder if row["cpu"]])


def show(rows):
    print("| bars | solver | tol | CPU ms | us a step | steps | evaluations | Jacobians | factorisations | error | error of rates | bytes a bar |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        if row["cpu"] is None:
            print(f"| {row['bars']} | {row['who']} | {row['tol']:.0e} | failed |")
            continue
        counts = " | ".join("" if row[k] is None else f"{row[k]:.0f}" for k in ("steps", "fev", "jev", "lu"))
        step = f"{1e6 * row['cpu'] / row['steps']:.1f}" if row["steps"] else ""
        memory = "" if row["memory"] is None else f"{row['memory']:.0f}"
        print(
            f"| {row['bars']} | {row['who']} | {row['tol']:.0e} | {1e3 * row['cpu']:.2f} | {step} | {counts} | {row['err']:.1e} | {row['errv']:.1e} | {memory} |"
        )


def limits(rows):
    """What is asked for: name, value, limit."""
    best = {(row["who"], row["bars"], row["tol"]): row for row in rows}

    # The method's own output, as IDA's: accelerations to rounding and watches are more than IDA does.
    def soi2(bars):
        return best["alembert soi2 own", bars, 1e-6]

    def step(row):
        return (row["cpu"] - row["setup"]) / (row["steps"] - 1)

    for bars, limit in ((1000, 0.3), (10000, 0.2)):
        peer = best["IDA ggl, h <= 1e-3", bars, 1e-4]
        yield f"SOI2 / IDA with h <= 1e-3, {bars} bars", soi2(bars)["cpu"] / peer["cpu"], limit
    yield "a step of SOI2, 10,000 / 1,000 bars", step(soi2(10000)) / step(soi2(1000)), 11
    yield "a step of SOI2, 100,000 / 10,000 bars", step(soi2(100000)) / step(soi2(10000)), 13
    for bars in (10000, 100000):
        if soi2(bars)["memory"]:
            yield f"bytes a bar at the peak, {bars} bars", soi2(bars)["memory"], 2000
    theirs = time_at_error(rows, "IDA ggl", AT_ERROR)
    for method in ("alembert bdf", "alembert radau5"):
        mine = time_at_error(rows, method, AT_ERROR)
        yield f"{method} / IDA at error {AT_ERROR:.0e}, 1000 bars", mine / theirs if mine and theirs else None, 0.5
    for bars in (10, 100, 1000, 10000):
        if ("exudyn", bars, 1e-8) in best:
            yield f"error of SOI2 / exudyn, {bars} bars", soi2(bars)["err"] / best["exudyn", bars, 1e-8]["err"], 1


def main():
    rounds = int(sys.argv[1])
    best = {}
    with tempfile.TemporaryDirectory(dir=os.environ["PEERS_TMP"]) as work:
        errors = Errors(work)
        for number in range(rounds):
            print(f"round {number + 1}", file=sys.stderr)
            for row in everybody(errors, number == 0):
                key = row["who"], row["bars"], row["tol"]
                print("  ", *key, "seconds", row["cpu"], "error", row["err"], file=sys.stderr)
                if key not in best or (row["cpu"] or math.inf) < (best[key]["cpu"] or math.inf):
                    best[key] = row
    rows = sorted(best.values(), key=lambda row: (row["bars"], row["who"], -row["tol"]))
    show(rows)
    print("\n| | value | at most | |\n|---|---|---|---|")
    missed = 0
    for name, value, limit in limits(rows):
        met = value is not None and value <= limit
        missed += not met
        print(f"| {name} | {'not reached' if value is None else f'{value:.3g}'} | {limit} | {'met' if met else 'missed'} |")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
