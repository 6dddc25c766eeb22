#!/usr/bin/python3
"""Round trips that no fit saw, against the LogP family; bandwidth against NetPIPE's.

    round_trips.py ESTIMATE_MODEL MPIEXEC DIRECTORY [--namespaces MBIT] [--launches 5] [--netpipe NPmpich2]

Two ranks, over shared memory, or over TCP between two namespaces with --namespaces. Launches of
`calibrate` and of `validate` take turns; the model is fitted to all of them merged, and its one-way
times are compared with the validations' medians, from 1 B to 4 MiB. The best of the family must be off
by less than 5 % in the median over the sizes; the worst size is printed.

With --netpipe NetPIPE takes turns with `calibrate --buffers same`, too: both send 4 MiB forth and back.
Their bandwidths (medians over the launches) must agree within 5 % or within the launches' own spread.
"""
