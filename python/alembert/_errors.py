"""What went wrong, as exceptions with fields: what happened, what to try, whom to blame."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mistake:
    """One mistake of a model file.

    ``line`` and ``column`` count from 1; they are ``None`` where something is missing altogether.
    """

    message: str
    hint: str | None = None
    line: int | None = None
    column: int | None = None


class AlembertError(Exception):
    """Anything that alembert refuses or fails at.

    Attributes:
        message: what happened.
        hint: what to try next, if there is something to say.
        parameter: the option, parameter, constraint or coordinate to blame, by its name.
        time: when it happened, if that was on the way of a run.
    """

    def __init__(
        self, message: str, *, hint: str | None = None, parameter: str | None = None, time: float | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.parameter = parameter
        self.time = time

    @property
    def constraint(self) -> str | None:
        """The constraint to blame: the same as ``parameter``."""
        return self.parameter

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_again, (type(self), self.message, self.__dict__))


def _again(kind: type[AlembertError], message: str, fields: dict[str, Any]) -> AlembertError:
    error = kind(message)
    error.__dict__.update(fields)
    return error


class UsageError(AlembertError, ValueError):
    """Something was asked for that does not exist or cannot be done."""


class ModelError(AlembertError, ValueError):
    """A model file has mistakes: all of them are in ``mistakes``, with line and column.

    >>> import alembert as al
    >>> try:
    ...     al.Model("format = 1")
    ... except al.ModelError as error:
    ...     print(error.mistakes[0].message)
    the section [variables] is missing
    """

    mistakes: tuple[Mistake, ...] = ()


class IntegrationError(AlembertError, RuntimeError):
    """The work itself failed: no consistent start, a step that cannot be made."""


class ResultWarning(UserWarning):
    """A result is partial, or its own audit doubts it."""


class CallbackWarning(UserWarning):
    """Functions could not be traced, and are called again and again."""


#: Exceptions are told by the names under which they are public.
for _kind in (AlembertError, UsageError, ModelError, IntegrationError, ResultWarning, CallbackWarning):
    _kind.__module__ = "alembert"

_OPTION = re.compile(r"--(max-steps|max-rows|max-seconds|output-every|t-end|rtol|atol|h|method|force)\b")


def in_python(words: str) -> str:
    """Words of the program for Python: its options are those of ``run``, and results in memory are not resumed."""
    words = words.replace(" and continue with --resume", "")
    return _OPTION.sub(lambda option: option[1].replace("-", "_"), words)


_KINDS: dict[str, type[AlembertError]] = {"usage": UsageError, "mistakes": ModelError, "work": IntegrationError}


def exception(described: str) -> BaseException:
    """The exception of a description in JSON; the compiled module calls this."""
    fields = json.loads(described)
    if fields.get("hint"):
        fields["hint"] = in_python(fields["hint"])
    if fields["kind"] == "interrupted":
        return KeyboardInterrupt()
    kind = _KINDS.get(fields["kind"], AlembertError)
    error = kind(
        fields["message"], hint=fields.get("hint"), parameter=fields.get("parameter"), time=fields.get("time")
    )
    if isinstance(error, ModelError):
        error.mistakes = tuple(Mistake(**mistake) for mistake in fields.get("mistakes", ()))
    return error
