"""SciPy on theta'' = -g sin(theta) + F cos(theta), the pendulum of docs/accuracy.md in minimal coordinates.

Standard input has a line of JSON for each case: {"force": formula of t and x, "rows": [[t, x, y, x', y'], ...]} with the truth.
Standard output has a line for each method and case: name, then the error over the tolerance for 1e-3 to 1e-10.
"""

import json
import math
import sys

from scipy.integrate import solve_ivp

GRAVITY = 9.81


def ratio(force, rows, method, tol):
    def rhs(t, y):
        x = math.sin(y[0])
        return [y[1], -GRAVITY * x + force(t, x) * math.cos(y[0])]

    t, y = 0.0, [math.pi / 2, 0.0]
    errors, sizes = [0.0, 0.0], [0.0, 0.0]
    for row in rows:
        solution = solve_ivp(rhs, (t, row[0]), y, method=method, rtol=tol, atol=tol)
        if not solution.success:
            return math.nan
        t, y = row[0], solution.y[:, -1]
        sine, cosine = math.sin(y[0]), math.cos(y[0])
        ours = [[sine, -cosine], [cosine * y[1], sine * y[1]]]
        for k, (mine, exact) in enumerate(zip(ours, [row[1:3], row[3:5]])):
            errors[k] = max([errors[k]] + [abs(a - b) for a, b in zip(mine, exact)])
            sizes[k] = max([sizes[k]] + [abs(b) for b in exact])
    return max(error / (tol * (1.0 + size)) for error, size in zip(errors, sizes))


def main():
    names = {"abs": abs, "tanh": math.tanh, "max": max, "sign": lambda x: math.copysign(1.0, x)}
    for line in sys.stdin:
        case = json.loads(line)
        code = compile(case["force"], "force", "eval")
        force = lambda t, x: eval(code, names, {"t": t, "x": x})
        for method in ["Radau", "LSODA"]:
            ratios = [ratio(force, case["rows"], method, 10.0**-digits) for digits in range(3, 11)]
            print(method, *(f"{value:.3e}" for value in ratios), flush=True)


main()
