#!/usr/bin/env python3
"""Mechanisms: ours beside exudyn, MuJoCo and Drake, and the limits. Called by peers/mechanisms.sh, which says what it needs.

    mechanisms.py ROUNDS [LINKS...]

Chains of links on balls (peers/balls.py) at h = 1e-3 to t = 1, and Andrews' mechanism (peers/exudyn_andrews.py) to t = 0.03. Errors of
chains are the largest of a coordinate of a centre of mass at the end, for everybody against the same solution in joint coordinates by extrapolation
(cargo xtask balls-end), which for ten links is compared with the stored motion of 19 digits first. Times are processor times without building, the
fastest of all rounds. A peer that takes longer than LIMIT seconds by the clock, building included, or more than MEMORY GB is stopped,
and the table says so.
"""

import array
import json
import os
import resource
import subprocess
import sys
import tempfile

from ratios import at_error

XTASK, PYTHON = os.environ["XTASK"], os.environ["PEERS_PYTHON"]
HERE = os.path.dirname(os.path.abspath(__file__))
STEP = 1e-3
LIMIT, MEMORY = float(os.environ.get("LIMIT", "120")), float(os.environ.get("MEMORY", "8"))
# Newton's tolerance of ours. With 100 links, where errors are compared to the last digit, what Newton's method leaves must not show (docs/peers.md).
NEWTON = {100: "1e-10"}
# Steps where a run to t = 1 would take minutes: without an error then.
FEW = {
    ("mujoco-rk4", 1000): 2,
    ("mujoco-implicit", 1000): 4,
    ("drake-discrete", 1000): 10,
    ("exudyn", 1000): 100,
    ("mujoco-rk4", 10000): 2,
    ("mujoco-implicit", 10000): 2,
    ("drake-discrete", 10000): 2,
    ("exudyn", 10000): 5,
}
# From which step to which sizes are compared.
SAME = (20, 120)
PEERS = ["exudyn", "mujoco-rk4", "mujoco-implicit", "drake-discrete"]
LADDER = ["1e-2", "5e-3", "2.5e-3", "1.25e-3", "8e-4"]


def numbers(path):
    found = array.array("d")
    with open(path, "rb") as file:
        found.frombytes(file.read())
    return found


def largest(xs, ys):
    return max(abs(x - y) for x, y in zip(xs, ys, strict=True))


class References:
    """Centres of the links at t = 1."""

    def __init__(self, folder):
        self.folder, self.known = folder, {}

    def of(self, links):
        if links not in self.known:
            path = f"{self.folder}/reference"
            subprocess.run([XTASK, "balls-end", str(links), "1", path], check=True)
            self.known[links] = numbers(path)
        return self.known[links]

    def check(self):
        with open(f"{HERE}/../crates/mechanism/tests/references/chain_ball_10.json") as file:
            state = next(state for state in json.load(file)["states"] if state["t"] == 1)
        stored = [x for body in state["bodies"] for x in body["p"]]
        print(f"the reference of ten links is within {largest(self.of(10), stored):.1e} of the stored motion\n")


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (int(MEMORY * 2**30),) * 2)


def peer(who, links, step, steps, references):
    out = f"{references.folder}/peer"
    command = [PYTHON, "-W", "ignore", f"{HERE}/balls.py", who, str(links), str(step), str(steps), out]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, preexec_fn=bounded)
    except subprocess.TimeoutExpired:
        return dict(who=who, links=links, failure=f"{steps} steps did not finish in {LIMIT:.0f} s")
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        reason = (done.stderr.strip() or f"no result, exit code {done.returncode}").splitlines()[-1]
        print(f"{who} with {links} links failed: {reason}", file=sys.stderr)
        # A peer that is not installed is left out; one that cannot do it is named.
        return None if "ModuleNotFoundError" in reason else dict(who=who, links=links, failure=f"failed: {reason[:80]}")
    row = json.loads(lines[-1])
    ends = abs(float(step) * steps - 1) < 1e-9
    return dict(who=who, links=links, cpu=row["cpu"], steps=row["steps"], error=largest(numbers(out), references.of(links)) if ends else None)


def ours(workload, method, tolerance="1e-6"):
    command = [XTASK, "bench-row", workload, method, tolerance, "--json"]
    row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return dict(cpu=row["cpu"], steps=row["steps"], error=row["error_q"], peak=row.get("peak_kb"), parts=row.get("parts"))


def memory(mine, method):
    """kB a link: the peak less that of the same run with ten links, which touches as much of the program."""
    few = ours("balls-10", method)
    if mine["peak"] is None or few["peak"] is None:
        return None
    return 1.024 * (mine["peak"] - few["peak"]) / (mine["parts"] - few["parts"])


def processor_time(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(getattr(after, part) - getattr(before, part) for part in ("ru_utime", "ru_stime"))


def growth(method, rounds):
    """How many times longer a step takes with 10 000 links than with 1000. The first steps of a motion are dearer, so both take the same ones."""
    made = {}
    for _ in range(max(rounds, 5)):
        for run in [(links, steps) for links in (1000, 10000) for steps in SAME]:
            command = [XTASK, "steps", f"balls-{run[0]}", method, str(run[1])]
            made[run] = min(made.get(run, float("inf")), processor_time(command))
    small, large = (made[links, SAME[1]] - made[links, SAME[0]] for links in (1000, 10000))
    return large / small


def chains(sizes, references):
    for links in sizes:
        for method in ["soi2 own", "soi2"]:
            yield dict(ours(f"balls-{links}", method, NEWTON.get(links, "1e-6")), who=f"alembert {method}", links=links)
        for who in PEERS:
            yield peer(who, links, STEP, FEW.get((who, links), 1000), references)


def fastest(rounds):
    best = {}
    for row in (row for rows in rounds for row in rows if row):
        key = tuple(row[k] for k in row if k in ("who", "links", "tol"))
        if key not in best or row.get("cpu", float("inf")) < best[key].get("cpu", float("inf")):
            best[key] = row
    return best


def each_of(row):
    return row["cpu"] / row["steps"] if "cpu" in row else float("inf")


def chain_table(best):
    print("| links | solver | us a step | steps/s | times exudyn's steps/s | error at t = 1 |")
    print("|---|---|---|---|---|---|")
    for (who, links), row in sorted(best.items(), key=lambda item: (item[0][1], each_of(item[1]))):
        if "failure" in row:
            print(f"| {links} | {who} | {row['failure']} | | | |")
            continue
        each, other = each_of(row), best.get(("exudyn", links), {})
        times = f"{each_of(other) / each:.2f}" if "cpu" in other else ""
        error = "" if row["error"] is None else f"{row['error']:.1e}"
        print(f"| {links} | {who} | {1e6 * each:.1f} | {1 / each:.0f} | {times} | {error} |")


def ladders(links, references):
    """Radau and MuJoCo's Runge-Kutta method, from coarse to fine."""
    for tolerance in ["1e-6", "1e-7", "1e-8", "1e-9", "1e-10", "1e-11", "1e-12"]:
        yield dict(ours(f"balls-{links}", "radau5", tolerance), who="alembert radau5", tol=tolerance)
    for step in LADDER:
        row = peer("mujoco-rk4", links, step, round(1 / float(step)), references)
        yield row and dict(who="mujoco-rk4", tol=step, cpu=row["cpu"], steps=row["steps"], error=row["error"])


def andrews():
    for tolerance in ["1e-3", "1e-4", "1e-5", "1e-6", "1e-7"]:
        yield dict(ours("andrews-bodies", "radau5", tolerance), who="alembert radau5", tol=tolerance)
    command = [PYTHON, "-W", "ignore", f"{HERE}/exudyn_andrews.py", "--json", "1000", "3000", "10000"]
    done = subprocess.run(command, capture_output=True, text=True)
    for row in json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else []:
        yield dict(who="exudyn", tol=str(0.03 / row["steps"]), cpu=row["cpu"], steps=row["steps"], error=row["error"])


def work_table(best):
    print("| solver | tolerance or step | CPU ms | steps | error |\n|---|---|---|---|---|")
    for (who, tol), row in best.items():
        print(f"| {who} | {float(tol):.2e} | {1e3 * row['cpu']:.2f} | {row['steps']} | {row['error']:.1e} |")


def limit(what, value, most):
    print(f"{what}: {value:.3f}, at most {most}: {'met' if value <= most else 'missed'}")
    return value <= most


def at(best, who, error):
    return at_error(error, [(row["error"], row["cpu"]) for (name, _), row in best.items() if name == who])


def main():
    rounds, sizes = int(sys.argv[1]), [int(size) for size in sys.argv[2:]] or [10, 100, 1000, 10000]
    met = []
    with tempfile.TemporaryDirectory() as folder:
        references = References(folder)
        references.check()
        best = fastest([list(chains(sizes, references)) for _ in range(rounds)])
        chain_table(best)
        for links in sizes:
            other = best.get(("exudyn", links), {})
            for who in ["alembert soi2 own", "alembert soi2"]:
                mine = best[(who, links)]
                if "cpu" in other:
                    met.append(limit(f"\n{links} links, {who}: time of a step beside exudyn's", each_of(mine) / each_of(other), 0.1))
                if other.get("error"):
                    met.append(limit(f"{links} links, {who}: error beside exudyn's", mine["error"] / other["error"], 1.0))
                if links == 10000 and (who, 1000) in best:
                    met.append(limit(f"\n{who}: a step beside that with 1000 links", growth(who.removeprefix("alembert "), rounds), 11))
                room = memory(mine, who.removeprefix("alembert ")) if links == 10000 else None
                if room is not None:
                    met.append(limit(f"{who}: kB a link", room, 6))
        print("\n## Radau beside MuJoCo's RK4, 100 links\n")
        best = fastest([list(ladders(100, references)) for _ in range(rounds)])
        work_table(best)
        for error in [1e-6, 1e-8]:
            mine, other = (at(best, who, error) for who in ("alembert radau5", "mujoco-rk4"))
            if mine and other:
                met.append(limit(f"\ntime at error {error:.0e}", mine / other, 0.2))
        print("\n## Andrews' mechanism of bodies\n")
        best = fastest([list(andrews()) for _ in range(rounds)])
        work_table(best)
        mine, other = (at(best, who, 1e-5) for who in ("alembert radau5", "exudyn"))
        if mine and other:
            met.append(limit("\ntime at error 1e-5", mine / other, 1 / 40))
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
