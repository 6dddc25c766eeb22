"""The Python package on a large model file, beside Python's own JSON parser.

    python.py [RANKS] [REPLICATES]

The file is made up: LMO, matrices by their upper triangle. Its loading is timed against json.load of
the same file, in turn, the fastest of three; then a million messages, of all pairs in order and of
random ones.
"""

import gc
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

import commgauge

RUNS = 3
MESSAGES = 1_000_000


def scaled(rows, factor):
    if isinstance(rows[0], list):
        return [[None if x is None else x * factor for x in row] for row in rows]
    return [x * factor for x in rows]


def model_file(path, n, replicates):
    draw = np.random.default_rng(1)

    def vector(typical):
        return (typical * draw.normal(1, 0.1, n)).tolist()

    def triangle(typical):
        return [[None] + (typical * draw.normal(1, 0.1, n - 1 - i)).tolist() for i in range(n)]

    lmo, copies = {}, {"kind": "launches"}
    values = {"C": vector(1e-5), "t": vector(1e-9), "L": triangle(2e-5),
              "inverse_beta": triangle(8e-9)}
    for name, value in values.items():
        symmetric = {"symmetric": True} if isinstance(value[0], list) else {}
        lmo[name] = {**symmetric, "value": value, "low": scaled(value, 0.95),
                     "high": scaled(value, 1.05)}
        copies[name] = [scaled(value, factor) for factor in draw.normal(1, 0.01, replicates)]
    lmo |= {"range_bytes": [0, 65536], "residual": 0.01, "observations": 1000, "warnings": [],
            "replicates": copies}
    path.write_text(json.dumps({
        "schema": "commgauge.model/1", "confidence": 0.95, "n": n, "eager_limit_bytes": 65536,
        "preferred": "lmo", "launches": [], "models": {"lmo": lmo}, "checks": [], "ranking": [],
        "warnings": [], "not_determined": ""}))


def seconds(call, *arguments, **more):
    gc.collect()
    start = time.perf_counter()
    call(*arguments, **more)
    return time.perf_counter() - start


def parse(path):
    with open(path) as file:
        json.load(file)


def memory_mb(code, path):
    """Peak of a fresh interpreter that imports both and runs the code."""
    code = f"import json, sys, commgauge\n{code}\nprint(open('/proc/self/status').read())"
    status = subprocess.run([sys.executable, "-c", code, path], check=True, capture_output=True,
                            text=True).stdout
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) * 1024 / 1e6


def loading(path):
    ours, theirs = [], []
    for _ in range(RUNS):
        ours.append(seconds(commgauge.load, path))
        theirs.append(seconds(parse, path))
    print(f"loading {path.stat().st_size / 1e6:.0f} MB: commgauge.load {min(ours):.2f} s, json.load "
          f"{min(theirs):.2f} s, ratio {min(ours) / min(theirs):.2f}")
    nothing = memory_mb("", path)
    load = memory_mb("file = commgauge.load(sys.argv[1])", path) - nothing
    plain = memory_mb("file = json.load(open(sys.argv[1]))", path) - nothing
    print(f"memory at most: commgauge.load {load:.0f} MB, json.load {plain:.0f} MB, ratio "
          f"{load / plain:.2f}")


def messages(model, n, replicates):
    draw = np.random.default_rng(2)
    sizes = draw.integers(0, 65537, MESSAGES)
    ordered = np.arange(MESSAGES) % (n * (n - 1))
    src, place = ordered // (n - 1), ordered % (n - 1)
    anywhere = draw.permutation(MESSAGES)
    pairs = {"all pairs in order": (src, place + (place >= src))}
    pairs["random pairs"] = tuple(ranks[anywhere] for ranks in pairs["all pairs in order"])
    for name, (src, dst) in pairs.items():
        best = min(seconds(model.predict_time, sizes, src=src, dst=dst) for _ in range(RUNS))
        text = f"{MESSAGES} messages, {name}: {best:.3f} s"
        if replicates > 1:
            best = min(seconds(model.predict, "p2p", sizes, src=src, dst=dst) for _ in range(RUNS))
            text += f", with intervals {best:.3f} s"
        print(text)


def main(n=1024, replicates=0):
    with tempfile.TemporaryDirectory(prefix="commgauge-") as directory:
        path = pathlib.Path(directory) / "model.json"
        model_file(path, n, replicates)
        print(f"{n} ranks, {replicates} replicates")
        loading(path)
        messages(commgauge.load(path).model("lmo"), n, replicates)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
