#!/usr/bin/python3
"""Writes small archives as Score-P lays them out, each with something that an import has to cope with.

    foreign.py WHICH DIRECTORY
"""

import sys

import otf2
from otf2.enums import CollectiveOp, GroupType, LocationType, Paradigm, RegionRole

RANKS = 3
NONE = 0xFFFFFFFF


class Archive:
    """Three processes on two nodes, MPI_COMM_WORLD, MPI_COMM_SELF, and a clock of 10 ns."""

    def __init__(self, trace, threads=1, has_world=True):
        self.trace = trace
        defs = self.defs = trace.definitions
        machine = defs.system_tree_node("cluster", "machine", parent=None)
        nodes = [defs.system_tree_node(f"node{i}", "node", parent=machine) for i in range(2)]
        self.locations, self.others = [], []
        for rank in range(RANKS):
            process = defs.location_group(f"MPI Rank {rank}", system_tree_parent=nodes[rank // 2])
            self.locations.append(defs.location("Master thread", group=process, type=LocationType.CPU_THREAD))
            self.others += [defs.location(f"Thread {i}", group=process, type=LocationType.CPU_THREAD)
                            for i in range(1, threads)]
        self.everybody = defs.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI,
                                         members=self.locations)
        self.first = self.comm("first", [0, 1])  # ahead of MPI_COMM_WORLD
        self.world = self.comm("MPI_COMM_WORLD" if has_world else "all", range(RANKS)) if has_world else None
        own = defs.group("", group_type=GroupType.COMM_SELF, paradigm=Paradigm.MPI, members=[])
        self.self = defs.comm("MPI_COMM_SELF", own)
        self.writers = [trace.event_writer_from_location(one) for one in self.locations]
        self.time = 1000

    def comm(self, name, ranks):
        group = self.defs.group(f"{name} {ranks}", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI,
                                     members=[self.locations[rank] for rank in ranks])
        return self.defs.comm(name, group)

    def region(self, name):
        paradigm = Paradigm.MPI if name.startswith("MPI_") else Paradigm.USER
        return self.defs.region(name, region_role=RegionRole.FUNCTION, paradigm=paradigm)

    def now(self):
        self.time += 10
        return self.time

    def enter(self, rank, name):
        self.writers[rank].enter(self.now(), self.region(name))

    def leave(self, rank, name):
        self.writers[rank].leave(self.now(), self.region(name))

    def call(self, rank, name, *records):
        self.enter(rank, name)
        for record, *values in records:
            getattr(self.writers[rank], record)(self.now(), *values)
        self.leave(rank, name)

    def collective(self, rank, name, operation, comm, root, sent, received):
        self.call(rank, name, ("mpi_collective_begin",),
                  ("mpi_collective_end", operation, comm, root, sent, received))


def plain(archive):
    """What Score-P would write of a small program."""
    world = archive.world
    for rank in range(RANKS):
        archive.enter(rank, "main")
    archive.call(0, "MPI_Send", ("mpi_send", 1, world, 5, 100))
    archive.call(1, "MPI_Recv", ("mpi_recv", 0, world, 5, 100))
    for rank in range(RANKS):
        archive.call(rank, "MPI_Irecv", ("mpi_irecv_request", 70))
        archive.call(rank, "MPI_Isend", ("mpi_isend", (rank + 1) % RANKS, world, 7, 50, 71))
    for rank in range(RANKS):
        left = (rank - 1) % RANKS
        archive.call(rank, "MPI_Waitall", ("mpi_isend_complete", 71), ("mpi_irecv", left, world, 7, 50, 70))
    archive.call(2, "MPI_Isend", ("mpi_isend", 0, archive.self, 1, 9, 72))
    archive.call(2, "MPI_Recv", ("mpi_recv", 0, archive.self, 1, 9))
    archive.call(2, "MPI_Test", ("mpi_request_test", 72))
    archive.call(2, "MPI_Wait", ("mpi_isend_complete", 72))
    archive.call(0, "MPI_Send")  # to MPI_PROC_NULL
    for rank in range(RANKS):
        archive.collective(rank, "MPI_Bcast", CollectiveOp.BCAST, world, 1, 60 if rank == 1 else 0, 20)
        archive.collective(rank, "MPI_Allreduce", CollectiveOp.ALLREDUCE, world, NONE, 24, 24)
        archive.collective(rank, "MPI_Gatherv", CollectiveOp.GATHERV, world, 2, 4 + rank, 15 if rank == 2 else 0)
        archive.collective(rank, "MPI_Comm_dup", CollectiveOp.CREATE_HANDLE, world, NONE, 0, 0)
        archive.call(rank, "MPI_Iallgather", ("non_blocking_collective_request", 80))
        archive.call(rank, "MPI_Wait", ("non_blocking_collective_complete", CollectiveOp.ALLGATHER, world, NONE,
                                        30, 30, 80))
    for rank in range(RANKS):
        archive.leave(rank, "main")


def threads(archive):
    plain(archive)
    writer = archive.trace.event_writer_from_location(archive.others[0])
    writer.enter(archive.now(), archive.region("work"))
    writer.leave(archive.now(), archive.region("work"))


def calling_threads(archive):
    plain(archive)
    writer = archive.trace.event_writer_from_location(archive.others[0])
    writer.enter(archive.now(), archive.region("MPI_Send"))
    writer.leave(archive.now(), archive.region("MPI_Send"))


def own_numbers(archive):
    """A communicator of ranks 0 and 1 that each of them knows by a number of its own."""
    for rank in range(2):
        comm = archive.comm(f"comm of {rank}", [0, 1])
        archive.collective(rank, "MPI_Barrier", CollectiveOp.BARRIER, comm, NONE, 0, 0)


def missing_completions(archive):
    archive.call(0, "MPI_Irecv", ("mpi_irecv_request", 1))
    archive.call(1, "MPI_Isend", ("mpi_isend", 0, archive.world, 3, 33, 1))
    archive.call(1, "MPI_Wait")
    archive.call(0, "MPI_Wait")


def lost_receive(archive):
    archive.call(0, "MPI_Irecv", ("mpi_irecv_request", 1))
    archive.call(0, "MPI_Wait")


def silent_collective(archive):
    archive.call(1, "MPI_Iallreduce")


def open_regions(archive):
    archive.enter(0, "main")
    archive.enter(0, "MPI_Barrier")


def one_sided_collective(archive):
    archive.collective(0, "MPI_Barrier", CollectiveOp.BARRIER, archive.world, NONE, 0, 0)


def no_world(archive):
    archive.call(0, "MPI_Send", ("mpi_send", 1, archive.first, 5, 100))


def modes(archive):
    for number, name in enumerate(("MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend")):
        archive.call(0, name, ("mpi_send", 1, archive.world, number, 1))
        archive.call(1, "MPI_Recv", ("mpi_recv", 0, archive.world, number, 1))
    for number, name in enumerate(("MPI_Isend", "MPI_Issend", "MPI_Ibsend", "MPI_Irsend")):
        archive.call(0, name, ("mpi_isend", 1, archive.world, number, 1, 5))
        archive.call(0, "MPI_Wait", ("mpi_isend_complete", 5))
        archive.call(1, "MPI_Recv", ("mpi_recv", 0, archive.world, number, 1))


def early_message(archive):
    archive.call(1, "MPI_Recv", ("mpi_recv", 0, archive.world, 5, 100))
    archive.call(0, "MPI_Send", ("mpi_send", 1, archive.world, 5, 100))


which, directory = sys.argv[1:]
with otf2.writer.open(directory, timer_resolution=100_000_000) as opened:
    opened.creator = "Score-P 8.3"
    globals()[which](Archive(opened, threads=2 if "threads" in which else 1, has_world=which != "no_world"))
