"""Numbers with units, for people: those that commgauge's programs print.

Three significant digits, as in "12.3 µs"; "nan s" for what is not known.
"""

from __future__ import annotations

from typing import SupportsFloat, SupportsInt

from . import _commgauge


def seconds(time_s: SupportsFloat) -> str:
    """"1.24 µs", "31.0 ms"."""
    return _commgauge.time_text(float(time_s))


def size(size_bytes: SupportsInt) -> str:
    """"512 B", "64 KiB", "1.5 MiB"."""
    return _commgauge.size_text(int(size_bytes))


def gap(seconds_per_byte: SupportsFloat) -> str:
    """With the bandwidth beside it where there is one: "0.0800 ns/B (12.5 GB/s)"."""
    return _commgauge.gap_text(float(seconds_per_byte))


def per_byte(seconds_per_byte: SupportsFloat) -> str:
    """"0.0800 ns/B"."""
    return _commgauge.per_byte_text(float(seconds_per_byte))


def rate(bytes_per_second: SupportsFloat) -> str:
    """"12.5 GB/s", "0 B/s"."""
    return _commgauge.rate_text(float(bytes_per_second))


def percent(share: SupportsFloat) -> str:
    """"95 %", "99.5 %"."""
    return f"{100 * float(share):.3g} %"
