"""The programs of examples/flaws: what an explanation has to say of each, and which variant mends it."""

import json
import pathlib
import shutil
import subprocess
import sys
from typing import NamedTuple


class Flaw(NamedTuple):
    program: str
    flawed: str   # variant of the program
    mended: str   # another, without the flaw
    kind: str     # of the answer that names the flaw
    where: dict[str, object]  # what else that answer says


FLAWS = (
    Flaw("late-sender", "flawed", "mended", "call_site", {"call": "MPI_Recv"}),
    Flaw("imbalanced-loop", "flawed", "mended", "balance", {"region": "rows"}),
    Flaw("dependent-waits", "flawed", "mended", "call_site", {"call": "MPI_Recv"}),
    Flaw("serialising-master", "flawed", "mended", "rank", {"rank": 0}),
    Flaw("needless-barrier", "flawed", "mended", "call_site", {"call": "MPI_Barrier"}),
    Flaw("image-compositing", "halves", "interleaved", "balance", {"region": "stage"}),
)
# Of what is promised, where the machine is exact.
TOLERANCE = 0.02
# Answers that name nothing to mend in one place, but how much there is to gain in all.
BOUNDS = ("all_waits", "all_balanced", "both")
# Answers whose times differ by so much of the run are equally good: often they take the same waits away.
TIE = 0.001


class Bench:
    """Runs programs in a directory of its own, on the machine of its model.json, with so many ranks."""

    def __init__(self, programs: pathlib.Path, mpiexec: str, directory: pathlib.Path, ranks: int) -> None:
        self.programs, self.mpiexec, self.directory, self.ranks = programs, mpiexec, directory, ranks
        self.model = directory / "model.json"

    def write_exact_model(self) -> None:
        """LogGPS, tens of microseconds a message, another value for each pair; above 20 000 bytes rendezvous."""
        self.model.write_text(self.run(self.programs / "write-machine", "loggps", self.ranks, 1, 20000))

    def run(self, *command: object, accepted: tuple[int, ...] = (0,)) -> str:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, cwd=self.directory, check=False)
        if done.returncode not in accepted:
            sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def launch(self, tool: str, *arguments: object) -> str:
        return self.run(self.mpiexec, "-n", self.ranks, self.programs / tool, *arguments)

    def emulate(self, program: str, *arguments: str, compute: str = "cpu") -> float:
        """Seconds until the last rank's MPI_Finalize; leaves the recording `trace`."""
        shutil.rmtree(self.directory / "trace", ignore_errors=True)
        self.launch("emulate", "--model", self.model, "--compute", compute, "--record", "trace",
                    "--report", "report.json", self.programs / program, *arguments)
        return json.loads((self.directory / "report.json").read_text())["whole"]["time_s"]

    def record(self, program: str, *arguments: str) -> None:
        """As it is, without the model; leaves the recording `trace`."""
        shutil.rmtree(self.directory / "trace", ignore_errors=True)
        self.launch("record", "-o", "trace", self.programs / program, *arguments)

    def replay(self, *options: str) -> dict:
        return json.loads(self.run(self.programs / "replay", "run", "trace", "--model", self.model, "-o", "-",
                                   *options))

    def explain(self, *options: str) -> dict:
        self.run(self.programs / "replay", "explain", "trace", "--model", self.model, "-o", "explanation.json",
                 *options)
        return json.loads((self.directory / "explanation.json").read_text())


def names(answer: dict, flaw: Flaw) -> bool:
    return answer["kind"] == flaw.kind and all(answer[name] == value for name, value in flaw.where.items())


def first_to_mend(explanation: dict, flaw: Flaw) -> dict:
    """Of the answers that gain most, bounds apart, the one that names the flaw; if none does, the first."""
    answers = [one for one in explanation["answers"] if one["kind"] not in BOUNDS]
    enough = answers[0]["time_s"]["value"] + TIE * explanation["time_s"]["value"]
    best = [one for one in answers if one["time_s"]["value"] <= enough]
    return next((one for one in best if names(one, flaw)), best[0])


class Study(NamedTuple):
    """Seconds until the last rank's MPI_Finalize on the machine of the model, and what was said of them."""
    flawed: float
    mended: float
    explained: float  # as flawed, by the explanation
    answer: dict      # the first thing to mend

    @property
    def promised(self) -> float:
        return self.answer["time_s"]["value"]


def study(bench: Bench, flaw: Flaw, way: str, compute: str) -> Study:
    mended = bench.emulate(flaw.program, flaw.mended, way, compute=compute)
    flawed = bench.emulate(flaw.program, flaw.flawed, way, compute=compute)
    explanation = bench.explain("--compute", compute)
    return Study(flawed, mended, explanation["time_s"]["value"], first_to_mend(explanation, flaw))
