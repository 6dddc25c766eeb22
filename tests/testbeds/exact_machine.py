"""One machine that follows the LMO model exactly, as SimGrid's platform and as a model file."""

import json
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
# Of smpirun: messages as the virtual machine has them, 20 ns for a look at a clock, 100 ns for a test that finds nothing.
SMPI_OPTIONS = [f"--cfg={option}" for option in (
    "smpi/simulate-computation:no", "network/model:CM02", "network/crosstraffic:no",
    "network/TCP-gamma:1e18", "smpi/async-small-thresh:1000000000",
    "smpi/send-is-detached-thresh:1000000000", "smpi/wtime:2e-8", "smpi/test:1e-7",
    "smpi/iprobe:1e-7", "smpi/grow-injected-times:no", "smpi/display-timing:yes",
)]


def write(directory: pathlib.Path, ranks: int, seed: int, programs: pathlib.Path,
          eager_below: int | None = None) -> None:
    """Into DIRECTORY: platform.xml, hosts, truth.json as smpi_platform.py writes them, and model.json.

    `programs` is the folder with write-machine. With `eager_below` [bytes] longer messages wait for their
    receivers, and nothing has overheads, as SMPI has none of such messages.
    """
    subprocess.run([HERE / "smpi_platform.py", "--hosts", str(ranks), "--seed", str(seed), "-o", directory], check=True)
    truth = json.loads((directory / "truth.json").read_text())
    if eager_below is not None:
        truth["C"] = truth["t"] = [0.0] * ranks
        platform = directory / "platform.xml"
        platform.write_text(re.sub(r'value="0:[^"]*"', 'value="0:0:0"', platform.read_text()))
    written = subprocess.run([programs / "write-machine", "lmo", str(ranks), str(seed)], check=True,
                             stdout=subprocess.PIPE)
    model = json.loads(written.stdout)
    # What MPI sees as latency holds the envelope that SMPI adds to every message.
    latency = [[None if own is None else own + truth["envelope_bytes"] * per_byte
                for own, per_byte in zip(*rows, strict=True)]
               for rows in zip(truth["L"], truth["inverse_beta"], strict=True)]
    model["models"]["lmo"] |= {"C": vector(truth["C"]), "t": vector(truth["t"]), "L": matrix(latency),
                               "inverse_beta": matrix(truth["inverse_beta"])}
    if eager_below is not None:
        model["eager_limit_bytes"] = eager_below - 1
    (directory / "model.json").write_text(json.dumps(model))


def smpirun(directory: pathlib.Path, ranks: int, *options: object) -> list:
    """The command that runs or replays a program there."""
    return ["smpirun", "-np", str(ranks), "-platform", directory / "platform.xml", "-hostfile", directory / "hosts",
            *options]


def simulated_seconds(text: str) -> float:
    """Of what smpirun printed."""
    found = re.search(r"Simulated time: ([0-9.e+-]+) seconds", text)
    if not found:
        raise RuntimeError(f"smpirun told no time: {text[-400:]}")
    return float(found.group(1))


def matrix(values: list[list[float | None]]) -> dict:
    return {"symmetric": False, "value": values, "low": values, "high": values}


def vector(values: list[float]) -> dict:
    return {"value": values, "low": values, "high": values}
