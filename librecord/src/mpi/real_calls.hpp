#pragma once

#include "mpi/emulation.hpp"
#include "mpi/persistent_calls.hpp"
#include "program/mpi_library.hpp"

#define COMMGAUGE_FUNCTION_BEHIND(NAME, FUNCTION)                                  \
  inline const auto NAME =                                                         \
      reinterpret_cast<decltype(&FUNCTION)>(::commgauge::preload::function_behind( \
          #FUNCTION, static_cast<bool>(::commgauge::record::emulation())))
#define COMMGAUGE_NAMED_BEHIND(NAME, FUNCTION) COMMGAUGE_FUNCTION_BEHIND(NAME, FUNCTION)
#define COMMGAUGE_BEHIND(NAME) COMMGAUGE_FUNCTION_BEHIND(NAME, PMPI_##NAME)
#define COMMGAUGE_PERSISTENT_BEHIND(NAME) \
  COMMGAUGE_NAMED_BEHIND(NAME##_init, COMMGAUGE_PERSISTENT(P, NAME))

/// Functions that the recorder takes the place of, as they are behind it: MPI's own, or those of
/// the emulation.
namespace commgauge::record::real {

COMMGAUGE_BEHIND(Abort);
COMMGAUGE_BEHIND(Allgather);
COMMGAUGE_PERSISTENT_BEHIND(Allgather);
COMMGAUGE_BEHIND(Allgatherv);
COMMGAUGE_PERSISTENT_BEHIND(Allgatherv);
COMMGAUGE_BEHIND(Allreduce);
COMMGAUGE_PERSISTENT_BEHIND(Allreduce);
COMMGAUGE_BEHIND(Alltoall);
COMMGAUGE_PERSISTENT_BEHIND(Alltoall);
COMMGAUGE_BEHIND(Alltoallv);
COMMGAUGE_PERSISTENT_BEHIND(Alltoallv);
COMMGAUGE_BEHIND(Alltoallw);
COMMGAUGE_PERSISTENT_BEHIND(Alltoallw);
COMMGAUGE_BEHIND(Barrier);
COMMGAUGE_PERSISTENT_BEHIND(Barrier);
COMMGAUGE_BEHIND(Bcast);
COMMGAUGE_PERSISTENT_BEHIND(Bcast);
COMMGAUGE_BEHIND(Bsend);
COMMGAUGE_BEHIND(Bsend_init);
COMMGAUGE_BEHIND(Cancel);
COMMGAUGE_BEHIND(Cart_create);
COMMGAUGE_BEHIND(Cart_sub);
COMMGAUGE_BEHIND(Comm_create);
COMMGAUGE_BEHIND(Comm_create_group);
COMMGAUGE_BEHIND(Comm_disconnect);
COMMGAUGE_BEHIND(Comm_dup);
COMMGAUGE_BEHIND(Comm_dup_with_info);
COMMGAUGE_BEHIND(Comm_free);
COMMGAUGE_BEHIND(Comm_idup);
#if MPI_VERSION >= 4
COMMGAUGE_BEHIND(Comm_idup_with_info);
#endif
COMMGAUGE_BEHIND(Comm_set_name);
COMMGAUGE_BEHIND(Comm_split);
COMMGAUGE_BEHIND(Comm_split_type);
COMMGAUGE_BEHIND(Dist_graph_create);
COMMGAUGE_BEHIND(Dist_graph_create_adjacent);
COMMGAUGE_BEHIND(Exscan);
COMMGAUGE_PERSISTENT_BEHIND(Exscan);
COMMGAUGE_BEHIND(Finalize);
COMMGAUGE_BEHIND(Gather);
COMMGAUGE_PERSISTENT_BEHIND(Gather);
COMMGAUGE_BEHIND(Gatherv);
COMMGAUGE_PERSISTENT_BEHIND(Gatherv);
COMMGAUGE_BEHIND(Graph_create);
COMMGAUGE_BEHIND(Iallgather);
COMMGAUGE_BEHIND(Iallgatherv);
COMMGAUGE_BEHIND(Iallreduce);
COMMGAUGE_BEHIND(Ialltoall);
COMMGAUGE_BEHIND(Ialltoallv);
COMMGAUGE_BEHIND(Ialltoallw);
COMMGAUGE_BEHIND(Ibarrier);
COMMGAUGE_BEHIND(Ibcast);
COMMGAUGE_BEHIND(Ibsend);
COMMGAUGE_BEHIND(Iexscan);
COMMGAUGE_BEHIND(Igather);
COMMGAUGE_BEHIND(Igatherv);
COMMGAUGE_BEHIND(Improbe);
COMMGAUGE_BEHIND(Imrecv);
COMMGAUGE_BEHIND(Ineighbor_allgather);
COMMGAUGE_BEHIND(Ineighbor_allgatherv);
COMMGAUGE_BEHIND(Ineighbor_alltoall);
COMMGAUGE_BEHIND(Ineighbor_alltoallv);
COMMGAUGE_BEHIND(Ineighbor_alltoallw);
COMMGAUGE_BEHIND(Init);
COMMGAUGE_BEHIND(Init_thread);
COMMGAUGE_BEHIND(Intercomm_create);
COMMGAUGE_BEHIND(Intercomm_merge);
COMMGAUGE_BEHIND(Iprobe);
COMMGAUGE_BEHIND(Irecv);
COMMGAUGE_BEHIND(Ireduce);
COMMGAUGE_BEHIND(Ireduce_scatter);
COMMGAUGE_BEHIND(Ireduce_scatter_block);
COMMGAUGE_BEHIND(Irsend);
COMMGAUGE_BEHIND(Iscan);
COMMGAUGE_BEHIND(Iscatter);
COMMGAUGE_BEHIND(Iscatterv);
COMMGAUGE_BEHIND(Isend);
COMMGAUGE_BEHIND(Issend);
#if MPI_VERSION >= 4
COMMGAUGE_BEHIND(Isendrecv);
COMMGAUGE_BEHIND(Isendrecv_replace);
#endif
COMMGAUGE_BEHIND(Mprobe);
COMMGAUGE_BEHIND(Mrecv);
COMMGAUGE_BEHIND(Neighbor_allgather);
COMMGAUGE_PERSISTENT_BEHIND(Neighbor_allgather);
COMMGAUGE_BEHIND(Neighbor_allgatherv);
COMMGAUGE_PERSISTENT_BEHIND(Neighbor_allgatherv);
COMMGAUGE_BEHIND(Neighbor_alltoall);
COMMGAUGE_PERSISTENT_BEHIND(Neighbor_alltoall);
COMMGAUGE_BEHIND(Neighbor_alltoallv);
COMMGAUGE_PERSISTENT_BEHIND(Neighbor_alltoallv);
COMMGAUGE_BEHIND(Neighbor_alltoallw);
COMMGAUGE_PERSISTENT_BEHIND(Neighbor_alltoallw);
COMMGAUGE_BEHIND(Pcontrol);
COMMGAUGE_BEHIND(Probe);
#if MPI_VERSION >= 4
COMMGAUGE_BEHIND(Parrived);
COMMGAUGE_BEHIND(Pready);
COMMGAUGE_BEHIND(Pready_list);
COMMGAUGE_BEHIND(Pready_range);
COMMGAUGE_BEHIND(Precv_init);
COMMGAUGE_BEHIND(Psend_init);
#endif
COMMGAUGE_BEHIND(Recv);
COMMGAUGE_BEHIND(Recv_init);
COMMGAUGE_BEHIND(Reduce);
COMMGAUGE_PERSISTENT_BEHIND(Reduce);
COMMGAUGE_BEHIND(Reduce_scatter);
COMMGAUGE_BEHIND(Reduce_scatter_block);
COMMGAUGE_PERSISTENT_BEHIND(Reduce_scatter_block);
COMMGAUGE_PERSISTENT_BEHIND(Reduce_scatter);
COMMGAUGE_BEHIND(Request_free);
COMMGAUGE_BEHIND(Request_get_status);
COMMGAUGE_BEHIND(Rsend);
COMMGAUGE_BEHIND(Rsend_init);
COMMGAUGE_BEHIND(Scan);
COMMGAUGE_PERSISTENT_BEHIND(Scan);
COMMGAUGE_BEHIND(Scatter);
COMMGAUGE_PERSISTENT_BEHIND(Scatter);
COMMGAUGE_BEHIND(Scatterv);
COMMGAUGE_PERSISTENT_BEHIND(Scatterv);
COMMGAUGE_BEHIND(Send);
COMMGAUGE_BEHIND(Send_init);
COMMGAUGE_BEHIND(Sendrecv);
COMMGAUGE_BEHIND(Sendrecv_replace);
COMMGAUGE_BEHIND(Ssend);
COMMGAUGE_BEHIND(Ssend_init);
COMMGAUGE_BEHIND(Start);
COMMGAUGE_BEHIND(Startall);
COMMGAUGE_BEHIND(Test);
COMMGAUGE_BEHIND(Testall);
COMMGAUGE_BEHIND(Testany);
COMMGAUGE_BEHIND(Testsome);
COMMGAUGE_BEHIND(Wait);
COMMGAUGE_BEHIND(Waitall);
COMMGAUGE_BEHIND(Waitany);
COMMGAUGE_BEHIND(Waitsome);
COMMGAUGE_BEHIND(Wtime);

}  // namespace commgauge::record::real

/// MPI's own, for what the recorder does beside the program.
namespace commgauge::record::mpi {

COMMGAUGE_REAL(Allreduce);
COMMGAUGE_REAL(Barrier);
COMMGAUGE_REAL(Bcast);
COMMGAUGE_REAL(Gather);
COMMGAUGE_REAL(Gatherv);
COMMGAUGE_REAL(Grequest_complete);
COMMGAUGE_REAL(Grequest_start);
COMMGAUGE_REAL(Request_free);
COMMGAUGE_REAL(Scatter);
COMMGAUGE_REAL(Scatterv);

}  // namespace commgauge::record::mpi
