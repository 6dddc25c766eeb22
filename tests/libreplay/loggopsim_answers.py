#!/usr/bin/python3
"""What LogGOPSim says of the schedules of data/goal: the rows of data/goal/loggopsim.csv.

    loggopsim_answers.py PROGRAMS SCHEDULES

PROGRAMS: the folder of txt2bin and LogGOPSim. SCHEDULES: the folder of the .goal files. Of more than 16
ranks LogGOPSim prints the last one's time only.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

PARAMETERS = "LogGOS"
SETS = [(2500, 1500, 1000, 6, 0, 65535), (5000, 300, 2000, 3, 2, 500), (700, 1200, 100, 1, 9, 0)]
END = re.compile(r"[Hh]ost (\d+): (\d+)")


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def answers(programs, schedule, values):
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder) / "schedule.bin"
        run(programs / "txt2bin", "-i", schedule, "-o", binary)
        options = [word for name, value in zip(PARAMETERS, values) for word in ("-" + name, value)]
        return END.findall(run(programs / "LogGOPSim", "-f", binary, *options))


def main(programs, schedules):
    print("schedule,L_ns,o_ns,g_ns,G_ns,O_ns,S_bytes,rank,end_ns")
    for schedule in sorted(schedules.glob("*.goal")):
        for values in SETS:
            found = answers(programs, schedule, values)
            if not found:
                sys.exit(f"LogGOPSim has no time for {schedule.name} (messages without partners): correct it")
            for rank, end in found:
                print(schedule.stem, *values, rank, end, sep=",")


main(*(pathlib.Path(argument) for argument in sys.argv[1:]))
