"""How far work is: a bar of tqdm where that is installed, a line on standard error where it is not, or a function of yours."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = bool | Callable[[float], object]


class _Line:
    """Percents on standard error."""

    def __init__(self) -> None:
        self.shown = -1

    def __call__(self, done: float) -> None:
        percent = int(100 * done)
        if percent != self.shown:
            self.shown = percent
            sys.stderr.write(f"\r{percent:3d} %")
            sys.stderr.flush()


@contextmanager
def shown(progress: Progress) -> Iterator[Callable[[float], object] | None]:
    """Whom to tell how much is done, as a share."""
    if not progress:
        yield None
    elif callable(progress):
        yield progress
        progress(1.0)
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            line = _Line()
            yield line
            line(1.0)
            sys.stderr.write("\n")
            return
        with tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}") as bar:

            def advance(done: float) -> None:
                bar.update(round(100 * done, 2) - bar.n)

            yield advance
            advance(1.0)
