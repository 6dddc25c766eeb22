#!/usr/bin/python3
"""docs/mpi-functions.md: what becomes of every function of MPI 4.0 in a program that is emulated or recorded.

    mpi_functions.py HEADERS EMULATION RECORDER [--write]

HEADERS is the directory with mpi.h of an MPI library that has all functions, EMULATION and RECORDER are
libcommgauge_emulate.so and libcommgauge_record.so. What they have and what their sources list as UNCOVERED and
the like says what they do. Exit code 1: the file says something else; --write writes it instead.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "docs/mpi-functions.md"

EXTENSIONS = "Extensions of MPICH"
# Of MPI 4.0's chapters; the first that fits.
CHAPTERS = [
    ("Language bindings", r"Type_(create_f90_\w+|match_size)|\w+_(c2f|f2c|c2f08|f2f08|f082c|f082f)"),
    ("Tool support", r"T_\w+|Pcontrol"),
    ("I/O", r"File_\w+|Register_datarep"),
    ("One-sided communication",
     r"Win_(?!(create|call|get|set)_errhandler|(create|free)_keyval|\w+_attr|[gs]et_name)\w+|R?(put|get|accumulate|get_accumulate)|Put|Get"
     r"|Accumulate|Get_accumulate|Compare_and_swap|Fetch_and_op"),
    ("Partitioned communication", r"Psend_init|Precv_init|Pready\w*|Parrived"),
    ("Process creation and management",
     r"Init|Init_thread|Finalize|Initialized|Finalized|Is_thread_main|Query_thread|Session_\w+|Group_from_session_pset"
     r"|\w+_from_groups?|Comm_(spawn\w*|get_parent|accept|connect|disconnect|join)|(Open|Close)_port"
     r"|(Publish|Unpublish|Lookup)_name|Abort"),
    ("Collective communication",
     r"I?(allgatherv?|alltoall[vw]?|allreduce|barrier|bcast|exscan|gatherv?|reduce|reduce_scatter|reduce_scatter_block"
     r"|scan|scatterv?)(_init)?|Reduce_local|Op_(create|free|commutative)"),
    ("Process topologies",
     r"I?neighbor_\w+|Cart\w*|Graph\w*|Dist_graph_\w+|Dims_create|Topo_test"),
    ("Groups, communicators, caching",
     r"Comm_(?!\w*errhandler)\w+|Group_\w+|Intercomm_\w+|(Type|Win)_\w*(attr|keyval)|(Type|Win)_[gs]et_name"
     r"|Keyval_\w+|Attr_\w+|DUP_FN"),
    ("Datatypes", r"Type_\w+|I?[Pp]ack\w*|Unpack\w*|Get_(address|elements\w*)|Aint_\w+|Address"),
    ("Info objects", r"Info_\w+"),
    ("External interfaces", r"Grequest_\w+|Status_set_\w+"),
    ("Environment",
     r"\w*[Ee]rrhandler\w*|(Add_)?[Ee]rror_\w+|Get_(version|library_version|processor_name)|Wtime|Wtick|Alloc_mem"
     r"|Free_mem"),
    ("Point-to-point communication",
     r"I?[bsr]?(send|recv)\w*|I?m?(recv|probe)|I?m?probe|Start(all)?|(Wait|Test)\w*|Cancel|Request_\w+|Get_count|Buffer_\w+"
     r"|Isendrecv\w*"),
]
ORDER = ["Point-to-point communication", "Partitioned communication", "Datatypes", "Collective communication",
         "Groups, communicators, caching", "Process topologies", "Environment", "Info objects",
         "Process creation and management", "One-sided communication", "External interfaces", "I/O", "Tool support",
         "Language bindings", EXTENSIONS]

# Why functions are refused.
REASONS = [
    (r"Comm_(spawn\w*|accept|connect|join)|(Open|Close)_port|(Publish|Unpublish|Lookup)_name",
     "Processes that come and go have no place on the machine: a job's ranks are there from its start to its end."),
    (r"File_\w+|Register_datarep", "A model tells what messages cost, not files."),
    (r"Win_\w+|R?(put|get|accumulate|get_accumulate)|Compare_and_swap|Fetch_and_op",
     "Data that move without a call of their receiver are not emulated."),
    (r"Psend_init|Precv_init|Pready\w*|Parrived", "Messages in parts are not emulated."),
    (r"Session_\w+|\w+_from_(session_pset|groups?)", "The emulation starts with MPI_Init."),
    (r"Comm_(agree|failure_\w+|revoke|shrink)", "No rank fails on the machine."),
    (r"Grequest_\w+", "A request that the program ends itself is none of the emulation's."),
    (r"Cancel", "What a message that may be taken back costs, no model tells."),
    (r"Comm_idup\w*", "Communicators are made in calls that wait for all ranks."),
    (r"Isendrecv\w*", "One request of two messages is not emulated."),
    (r"\w+_c", "Arrays of counts beyond int are not emulated."),
]

# What a replay does with calls of which a trace has no more than the times, by the macro that lists them.
NOTED = {"UNCOVERED": "left out", "FILE_CALL": "as long"}

MEANING = """# Every function of MPI 4.0

What becomes of a call in a program that runs under `emulate`, in one that `record` watches, and in the replay of what was
recorded. The names for profiling (`PMPI_...`), the bindings of Fortran and the functions that MPI 4.0 deprecates are treated
as the functions of C that they lead to.

| word | meaning |
| --- | --- |
| emulated | takes the time that it takes on the machine of the model |
| passed through | MPI itself does it; what time it takes is the rank's computing |
| refused | ends the job at the first call, with a line that names the function, and exit code 2 |
| recorded | is in the trace, with all that a replay needs |
| noted | a trace has when it begins and ends, and no more |
| computing | is part of what the rank computes between two calls that are recorded |
| replayed | is done again on the machine of the replay |
| left out | takes no time in a replay, which says so |
| as long | takes in a replay as long as it took when it was recorded |

This file is made of the libraries (`tests/docs/mpi_functions.py`), and checked against them.
"""


def names_of(headers: pathlib.Path) -> list[str]:
    """All functions of the standard that the headers declare, and the macros between languages."""
    text = "".join((headers / name).read_text() for name in ("mpi.h", "mpi_proto.h", "mpio.h")
                   if (headers / name).exists())
    declared = re.findall(r"^(?:int|double|MPI_\w+) (MPIX?_[A-Z]\w+)\(", text, re.MULTILINE)
    macros = re.findall(r"^#define (MPI_\w+_(?:c2f|f2c))\(", text, re.MULTILINE)
    return sorted({*declared, *macros})


def has(library: pathlib.Path) -> set[str]:
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], check=True, stdout=subprocess.PIPE, text=True)
    return set(re.findall(r" [TiW] (MPIX?_\w+)", symbols.stdout))


def listed(folder: str, macro: str) -> set[str]:
    """Names in lists that the sources of a library include where they define `macro`, and in their own uses of it."""
    found = set()
    for source in sorted((ROOT / folder / "src").rglob("*.cpp")):
        defined = False
        for line in source.read_text().splitlines():
            if re.match(rf"#define {macro}\(", line):
                defined = True
            elif re.match(rf"#undef {macro}\b", line):
                defined = False
            found |= set(re.findall(rf"^{macro}\((MPI\w+)\)", line))
            included = re.match(r'#include "([\w/]+\.inc)"', line)
            if included and defined:
                text = (ROOT / "libpreload/src" / included[1]).read_text()
                found |= set(re.findall(rf"^{macro}\((MPI\w+)\)", text, re.MULTILINE))
    return found


def chapter_of(name: str) -> str:
    if name.startswith("MPIX_"):
        return EXTENSIONS
    short = name.removeprefix("MPI_")
    short = short if re.search(r"_f2c$|_c2f$|_f082c$", short) else short.removesuffix("_c")
    for chapter, pattern in CHAPTERS:
        if re.fullmatch(pattern, short) or re.fullmatch(pattern, short[0].lower() + short[1:]):
            return chapter
    sys.exit(f"mpi_functions.py: {name} is in no chapter: add it to CHAPTERS")


def reason_of(name: str) -> str:
    short = name.removeprefix("MPI_").removeprefix("MPIX_")
    for pattern, reason in REASONS:
        if re.fullmatch(pattern, short.removesuffix("_c") if pattern != r"\w+_c" else short, re.IGNORECASE):
            return reason
    sys.exit(f"mpi_functions.py: nothing says why {name} is refused: add it to REASONS")


def document(args: argparse.Namespace) -> str:
    refused, emulated = listed("libemulate", "UNCOVERED"), has(args.emulation)
    emulated -= listed("libemulate", "FILE_CALL")
    recorded = has(args.recorder)
    noted = {name: replay for macro, replay in NOTED.items() for name in listed("librecord", macro)}

    def fate(name: str) -> tuple[str, str, str]:
        of_emulation = "refused" if name in refused else "emulated" if name in emulated else "passed through"
        if name in noted:
            return of_emulation, "noted", noted[name]
        return (of_emulation, "recorded", "replayed") if name in recorded else (of_emulation, "computing", "computing")

    chapters = {name: collections.defaultdict(list) for name in ORDER}
    for name in names_of(args.headers):
        chapters[chapter_of(name)][fate(name)].append(name)

    text = [MEANING, "| chapter | functions | emulated | passed through | refused | recorded |",
            "| --- | --- | --- | --- | --- | --- |"]
    rows = {chapter: [sum(len(names) for fates, names in groups.items() if word in fates)
                      for word in ("emulated", "passed through", "refused", "recorded")]
            for chapter, groups in chapters.items()}
    for chapter, groups in chapters.items():
        counts = [sum(map(len, groups.values())), *rows[chapter]]
        text.append(f"| {chapter} | " + " | ".join(map(str, counts)) + " |")
    counts = [sum(len(names) for groups in chapters.values() for names in groups.values()),
              *map(sum, zip(*rows.values(), strict=True))]
    text.append("| all | " + " | ".join(map(str, counts)) + " |")

    for chapter, groups in chapters.items():
        text += ["", f"## {chapter}", "", "| emulate | record | replay | functions |", "| --- | --- | --- | --- |"]
        for fates, names in sorted(groups.items()):
            text.append(f"| {' | '.join(fates)} | " + ", ".join(f"`{name}`" for name in names) + " |")
        reasons = collections.defaultdict(list)
        for fates, names in groups.items():
            for name in names if fates[0] == "refused" else ():
                reasons[reason_of(name)].append(name)
        if reasons:
            text += ["", " ".join(reasons)]
    return "\n".join(text) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for argument in ("headers", "emulation", "recorder"):
        parser.add_argument(argument, type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    text = document(args)
    if args.write:
        FILE.write_text(text)
    elif not FILE.exists() or FILE.read_text() != text:
        print(f"{FILE} is not what the libraries do: {' '.join([*sys.argv, '--write'])}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
