"""What users give, as the bindings take it: names of files, processors' speeds, whole numbers."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any, Union

from ._commgauge import InputError

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
TimeRatio = Union[float, str, "os.PathLike[str]", Iterable[float], Mapping[int, float]]


def path_text(path: Path) -> str:
    """A file's name."""
    try:
        name = os.fsdecode(path)
    except TypeError as error:
        raise InputError(
            f"{path!r} is no path (its type is {type(path).__name__}): give a file name"
        ) from error
    if "\0" in name:
        raise InputError("a file name with a null character (no file has one): check the name")
    return name


def said(text: str) -> str:
    """A line of this program's, as the other ones write theirs: names in it are others'."""
    return "commgauge: " + "".join(one if one.isprintable() else "?" for one in text)


def whole(value: Any, name: str, least: int, most: int = 2**63 - 1) -> int:
    """An integer, of whatever type."""
    try:
        number = operator.index(value)
    except TypeError as error:
        raise InputError(
            f"{name} of type {type(value).__name__} ({value!r} is no whole number): give an integer"
        ) from error
    if not least <= number <= most:
        raise InputError(f"{name} is {number} (it goes from {least} to {most}): give another one")
    return number


def time_ratio_text(said: TimeRatio | None) -> str | bytes | list[float] | None:
    """What --time-ratio takes, or a number for each rank."""
    if said is None:
        return None
    if isinstance(said, (str, os.PathLike)):
        return os.fsencode(path_text(said))
    try:
        if isinstance(said, Mapping):
            return [_ratio(said[rank]) for rank in range(len(said))]
    except KeyError as missing:
        raise InputError(f"time_ratio has no rank {missing} (every rank of the model has a "
                         "processor): add it") from None  # fmt: skip
    if isinstance(said, Iterable):
        return [_ratio(one) for one in said]
    return repr(_ratio(said))


def _ratio(value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 < number < float("inf"):
        raise InputError(f"time ratio {value!r} (it is how many seconds there are for one where "
                         "the program was recorded): give a number above zero")  # fmt: skip
    return number
