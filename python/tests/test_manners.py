"""Manners: signals, threads, memory, progress, imports, the program."""

from __future__ import annotations

import gc
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from conftest import MODELS, OSCILLATOR, PENDULUM

import alembert as al


def interrupted(work: str) -> float:
    """Seconds from a SIGINT to the KeyboardInterrupt of some work, in a program of its own."""
    code = textwrap.dedent(
        f"""
        import os, signal, sys, threading, time
        import numpy as np
        import alembert as al
        from conftest import *
        sent = []
        def send():
            time.sleep(0.4)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
        {work}
        threading.Thread(target=send).start()
        try:
            go()
            print("finished")
        except KeyboardInterrupt:
            print(time.perf_counter() - sent[0])
        """
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=os.path.dirname(__file__))
    assert found.returncode == 0, found.stderr
    return float(found.stdout)


@pytest.mark.parametrize(
    "work",
    [
        "model = al.Model(OSCILLATOR); go = lambda: model.run(t_end=1e6, rtol=1e-9)",
        "model = al.Model(OSCILLATOR); go = lambda: model.verify(t_end=1e5)",
        "model = al.Model(OSCILLATOR); go = lambda: model.sweep(k=np.arange(1, 10000), t_end=1e4)",
        "s = al.System(mass=1.0, force=lambda t, q, v: -q, trace=False); go = lambda: al.solve(s, (0, 1e6), [1.0], rtol=1e-9)",
        "i = al.Model(OSCILLATOR).integrator(t_end=1e6, rtol=1e-9); go = lambda: [None for _ in i]",
    ],
)
def test_ctrl_c_ends_the_work_at_once(work: str) -> None:
    # A tenth of a second is promised; a busy machine may take longer to wake a thread.
    assert interrupted(work) < 0.5


def test_the_lock_is_released() -> None:
    model = al.Model(PENDULUM)
    ticks = 0
    stop = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not stop.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    model.run(t_end=100.0, rtol=1e-10)
    stop.set()
    thread.join()
    assert ticks > 5


def test_threads_share_a_model() -> None:
    model = al.Model(PENDULUM)
    alone = model.run(t_end=2.0, rtol=1e-9)
    times = np.linspace(0, 2, 50)
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda _: model.run(t_end=2.0, rtol=1e-9).data, range(16)))
        states = list(pool.map(lambda _: alone(times).data, range(16)))
    assert all(np.array_equal(run, alone.data) for run in runs)
    assert all(np.array_equal(state, states[0]) for state in states)


def test_threads_share_functions() -> None:
    def force(t: float, q: Any, v: Any) -> Any:
        return -4.0 * np.sin(q)

    system = al.System(mass=1.0, force=force, trace=False)
    alone = al.solve(system, (0.0, 2.0), [1.0], rtol=1e-8)
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: al.solve(system, (0.0, 2.0), [1.0], rtol=1e-8).data, range(8)))
    assert all(np.array_equal(run, alone.data) for run in runs)


def test_threads_that_share_a_model_get_their_own_exceptions() -> None:
    class Mine(Exception):
        pass

    def force(t: float, q: Any, v: Any) -> Any:
        if t > 0.3 and threading.current_thread().name.startswith("bad"):
            raise Mine(threading.current_thread().name)
        return -q

    model = al.solve(al.System(mass=1.0, force=force, trace=False), (0.0, 1.0), [1.0], rtol=1e-6).model
    assert model is not None
    found: dict[str, Any] = {}

    def work() -> None:
        name = threading.current_thread().name
        try:
            found[name] = float(model.run(rtol=1e-6).last.q[0])
        except Mine as error:
            found[name] = str(error)

    threads = [threading.Thread(target=work, name=f"{kind} {k}") for k in range(6) for kind in ("bad", "good")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, value in found.items():
        assert value == (name if name.startswith("bad") else pytest.approx(np.cos(1.0), abs=1e-5))
    assert len(found) == 12


def test_functions_may_run_their_own_model() -> None:
    inner: list[Any] = []

    def force(t: float, q: Any, v: Any) -> Any:
        if inner and t > 0.5 and inner[-1] != "done":
            again, inner[-1] = inner[-1], "done"
            inner.insert(0, float(again.run(t_end=0.1).last.q[0]))
        return -q

    model = al.solve(al.System(mass=1.0, force=force, trace=False), (0.0, 1.0), [1.0], rtol=1e-6).model
    assert model is not None
    inner.append(model)
    assert model.run(rtol=1e-6).last.q[0] == pytest.approx(np.cos(1.0), abs=1e-5)
    assert inner[0] == pytest.approx(np.cos(0.1), abs=1e-6)


def memory() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="tells of memory on Linux only")
def test_many_runs_leave_nothing_behind() -> None:
    model = al.Model(OSCILLATOR)
    system = al.System(mass=1.0, force=lambda t, q, v: -q, trace=False)

    def work(count: int) -> None:
        for k in range(count):
            sol = model.with_(k=4.0 + k % 3).run(t_end=0.2)
            sol(0.1)
            if k % 20 == 0:
                al.solve(system, (0.0, 0.1), [1.0])
                with pytest.raises(al.ModelError):
                    model.with_(z=1.0)

    work(1000)
    gc.collect()
    before = memory()
    work(9000)
    gc.collect()
    # 9000 runs that kept a kilobyte each would be seen.
    assert memory() - before < 6_000_000


def test_progress_goes_from_nothing_to_everything() -> None:
    told: list[float] = []
    al.Model(OSCILLATOR).run(t_end=20000.0, rtol=1e-8, dense=False, output_every=10000.0, progress=told.append)
    assert told and told == sorted(told) and told[-1] == 1.0 and all(0 <= share <= 1 for share in told)


def test_progress_without_tqdm(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    al.Model(OSCILLATOR).run(progress=True)
    assert "100 %" in capsys.readouterr().err


def test_an_exception_of_a_progress_function_ends_the_run() -> None:
    def bad(share: float) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        al.Model(OSCILLATOR).run(t_end=1e6, rtol=1e-9, progress=bad)


def test_importing_brings_nothing_heavy_along() -> None:
    heavy = ["matplotlib", "pandas", "scipy", "sympy", "numba", "xarray", "polars", "casadi", "tqdm"]
    code = f"import sys, alembert; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_program_comes_along(tmp_path: Any) -> None:
    program = os.path.join(os.path.dirname(sys.executable), "alembert")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert version.strip() == f"alembert {al.__version__}"
    out = tmp_path / "results"
    done = subprocess.run(
        [program, "run", str(MODELS / "pendulum.toml"), "--t-end", "1", "--out", str(out)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    ours = al.load(MODELS / "pendulum.toml").run(t_end=1.0)
    theirs = al.open(out)
    assert np.array_equal(theirs.data, ours.data)
    assert subprocess.run([program, "run", "nothing.toml"], capture_output=True).returncode == 2
    page = tmp_path / "page.html"
    ours.save(tmp_path / "ours")
    done = subprocess.run([program, "report", str(tmp_path / "ours"), "--out", str(page)], capture_output=True, text=True)
    assert done.returncode == 0 and page.read_bytes() == ours.report().content, done.stderr


def test_signals_are_those_of_python_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT)
    al.Model(OSCILLATOR).run(t_end=0.1)
    assert signal.getsignal(signal.SIGINT) is before
