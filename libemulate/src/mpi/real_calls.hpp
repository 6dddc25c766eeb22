#pragma once

#include "program/mpi_library.hpp"

/// MPI's own functions, of those that the emulation takes the place of.
namespace commgauge::emulate::real {

COMMGAUGE_REAL(Abort);
COMMGAUGE_REAL(Allgather);
COMMGAUGE_REAL(Allreduce);
COMMGAUGE_REAL(Barrier);
COMMGAUGE_REAL(Bcast);
COMMGAUGE_REAL(Buffer_attach);
COMMGAUGE_REAL(Buffer_detach);
#if MPI_VERSION >= 4
COMMGAUGE_REAL(Buffer_attach_c);
COMMGAUGE_REAL(Buffer_detach_c);
#endif
COMMGAUGE_REAL(Cart_create);
COMMGAUGE_REAL(Cart_sub);
COMMGAUGE_REAL(Comm_create);
COMMGAUGE_REAL(Comm_create_from_group);
COMMGAUGE_REAL(Comm_create_group);
COMMGAUGE_REAL(Comm_disconnect);
COMMGAUGE_REAL(Comm_dup);
COMMGAUGE_REAL(Comm_dup_with_info);
COMMGAUGE_REAL(Comm_free);
COMMGAUGE_REAL(Comm_idup);
#if MPI_VERSION >= 4
COMMGAUGE_REAL(Comm_idup_with_info);
#endif
COMMGAUGE_REAL(Comm_split);
COMMGAUGE_REAL(Comm_split_type);
COMMGAUGE_REAL(Dist_graph_create);
COMMGAUGE_REAL(Dist_graph_create_adjacent);
COMMGAUGE_REAL(Finalize);
COMMGAUGE_REAL(Get_processor_name);
COMMGAUGE_REAL(Gather);
COMMGAUGE_REAL(Graph_create);
COMMGAUGE_REAL(Iallreduce);
COMMGAUGE_REAL(Ibcast);
COMMGAUGE_REAL(Igather);
COMMGAUGE_REAL(Init);
COMMGAUGE_REAL(Init_thread);
COMMGAUGE_REAL(Intercomm_create);
COMMGAUGE_REAL(Intercomm_create_from_groups);
COMMGAUGE_REAL(Intercomm_merge);
COMMGAUGE_REAL(Op_free);
COMMGAUGE_REAL(Recv);
COMMGAUGE_REAL(Send);
COMMGAUGE_REAL(Session_finalize);
COMMGAUGE_REAL(Session_init);
COMMGAUGE_REAL(Test);
COMMGAUGE_REAL(Type_free);
COMMGAUGE_REAL(Wait);
COMMGAUGE_REAL(Win_allocate);
COMMGAUGE_REAL(Win_allocate_c);
COMMGAUGE_REAL(Win_allocate_shared);
COMMGAUGE_REAL(Win_allocate_shared_c);
COMMGAUGE_REAL(Win_attach);
COMMGAUGE_REAL(Win_create);
COMMGAUGE_REAL(Win_create_c);
COMMGAUGE_REAL(Win_create_dynamic);
COMMGAUGE_REAL(Win_detach);
COMMGAUGE_REAL(Win_free);
COMMGAUGE_REAL(Win_get_attr);

}  // namespace commgauge::emulate::real
