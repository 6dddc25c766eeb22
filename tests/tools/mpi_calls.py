"""Which calls of MPI a library that stands between a program and MPI passes over."""

import pathlib
import re

import harness

# What works on one rank alone.
LOCAL = re.compile(
    r"MPI_(T_\w+|Type_\w+|Group_\w+|Info_\w+|Status_\w+|Errhandler_\w+|Error_\w+|Add_error_\w+"
    r"|Delete_error_\w+|Keyval_\w+|Attr_\w+|Op_\w+|Pack\w*|Unpack\w*|Graph_(get|map|neighbors\w*)"
    r"|Cart_(coords|get|map|rank|shift)|Cartdim_get|Graphdims_get|Dims_create|Topo_test"
    r"|Dist_graph_neighbors\w*|Comm_(rank|size|group|remote_\w+|test_inter|compare|get_\w+"
    r"|set_\w+|delete_attr|create_keyval|free_keyval|create_errhandler|call_errhandler)"
    r"|Session_get_(info|num_psets|nth_pset|pset_info)"
    r"|Win_(attach|detach|get_(attr|group|info|name)|set_(attr|info|name)|delete_attr|shared_query(_c)?)"
    r"|(Win|File|Session)_(create_errhandler|create_keyval|free_keyval|get_errhandler"
    r"|set_errhandler|call_errhandler)|Get_(address|count|processor_name|elements|version|library_version)"
    r"(_c|_x)?|Address|Aint_\w+|Alloc_mem|Free_mem|Buffer_\w+|Abort|Initialized|Finalized"
    r"|Is_thread_main|Query_thread|Pcontrol|Test_cancelled|Reduce_local(_c)?|DUP_FN|Wtick|\w+_(c2f|f2c))")


def left_alone(header, library):
    """Names in MPI's header that work on more than one rank, and that the library doesn't have."""
    names = set(re.findall(r"\b(MPI_[A-Z]\w*)\(", pathlib.Path(header).read_text()))
    symbols = harness.Job(["nm", "-D", "--defined-only", library]).end().out
    covered = set(re.findall(r" [Ti] (MPI_\w+)", symbols))
    return {name for name in names - covered if not LOCAL.fullmatch(name)}
